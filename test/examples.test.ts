/** What people copy first works: the scripts of `examples`, and `moonbucket.toml.example`. */
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shopApi } from '../src/demo/shop-api.ts'
import { readLocalSettings } from '../src/cli/local-settings.ts'
import { Catalog } from '../src/sdk/catalog/catalog.ts'
import { compileCatalog } from '../infra/build/apis/compile-catalog.ts'
import { tempFolder } from './support/temp-folder.ts'
import { callTool } from './node/sdk/call-tool.ts'
import { makeCompiledApp } from './node/sdk/make-api-app.ts'
import { serveOnLoopback } from './node/site/serve-app.ts'
import { makeApp } from './support/make-app.ts'

const ROOT = resolve(import.meta.dirname, '..')
const EXAMPLES = resolve(ROOT, 'examples')
const SETTINGS = resolve(ROOT, 'moonbucket.toml.example')
const SECRETS = { SHOP_TOKEN: 'token-of-the-shop', CRM_TOKEN: 'token-of-the-crm' }

/** The plot begins today. */
const NOW = new Date('2026-01-01T12:00:00Z')

const read = (name: string) => readFileSync(join(EXAMPLES, name), 'utf8')

let shop: Awaited<ReturnType<typeof serveOnLoopback>>

beforeAll(async () => {
  shop = await serveOnLoopback(shopApi().fetch)
})
afterAll(() => shop.stop())

/** The service with the demo API, as the local server has it. */
async function makeShopApp() {
  const settings = `[apis.shop]
    spec = ${JSON.stringify(join(EXAMPLES, 'shop.yaml'))}
    base_url = "${shop.origin}"`
  const folder = tempFolder({ 'moonbucket.toml': settings })
  const { texts, warnings } = compileCatalog(join(folder, 'moonbucket.toml'), 'moonbucket.toml')
  expect(warnings).toEqual([])
  return makeCompiledApp(texts, { now: () => NOW })
}

type ShopApp = Awaited<ReturnType<typeof makeShopApp>>

/** The last answer, of one script after the other. */
async function runAll({ run, tenant, textsUnder }: ShopApp, names: readonly string[]) {
  let answer
  for (const name of names) {
    answer = await run(read(name))
    expect(answer.error).toBeUndefined()
  }
  const texts = await textsUnder()
  const fileOf = (path: string) =>
    Object.entries(texts).find(([key]) => key.startsWith(tenant) && key.endsWith(`/${path}`))?.[1]
  return { ...answer!, fileOf }
}

describe('an example', () => {
  it('draws a plot', async () => {
    const { result, fileOf } = await runAll(await makeShopApp(), ['plot.lua'])
    const rows = fileOf('output/moon.csv')!.trim().split('\n')
    expect(rows).toHaveLength(62)
    expect(rows.slice(0, 2)).toEqual(['date,lit_percent', '2026-01-01,94'])
    expect(fileOf('output/moon.svg')).toMatch(/^<svg .*<polyline points="56\.0,.*<\/svg>\n$/s)
    expect(result).toEqual({ fullest_on: '2026-02-02', lit_percent: 100 })
  })

  it('sums up a CSV', async () => {
    const { result, fileOf } = await runAll(await makeShopApp(), ['csv.lua'])
    const { rows, sums } = result as { rows: number; sums: Record<string, number> }
    expect(rows).toBe(300)
    const lines = Object.entries(sums)
      .sort(([, a], [, b]) => b - a)
      .map(([region, sum]) => `${region},${sum}\n`)
    expect(fileOf('output/sums.csv')).toBe(`region,sum\n${lines.join('')}`)
  })

  it('hands files from one run to the next', async () => {
    const { result, fileOf } = await runAll(await makeShopApp(), ['steps-1.lua', 'steps-2.lua'])
    expect(result).toEqual({ north: 264, south: 255, west: 149 })
    expect(fileOf('output/report.md')).toBe(
      '# Orders by region\n\n- north: 264\n- south: 255\n- west: 149\n',
    )
  })

  it('pulls all pages of an API into a file', async () => {
    const { result, fileOf } = await runAll(await makeShopApp(), ['dump.lua'])
    expect(result).toEqual({ file: 'output/shop.list_orders.jsonl', rows: 12_000 })
    const rows = fileOf('output/shop.list_orders.jsonl')!.trim().split('\n')
    expect(rows.map((row) => (JSON.parse(row) as { id: number }).id)).toEqual(
      Array.from({ length: 12_000 }, (_, i) => i + 1),
    )
  })

  it('of the README dumps all orders, over HTTP and for a model', async () => {
    const readme = readFileSync(resolve(ROOT, 'README.md'), 'utf8')
    const script = /^```lua\n([^`]*sdk\.[^`]*)^```$/m.exec(readme)![1]!
    expect(script).toMatch(/^--[^\n]*\n[^\n]*sdk\.dump\([^\n]*\n[^\n]*\n$/)
    const app = await makeShopApp()
    const { result } = await app.run(script)
    expect(result).toMatchObject({ rows: 12_000 })
    const told = await callTool(app, 'execute_script', { script })
    expect(told.structuredContent).toMatchObject({
      result,
      files_touched: [{ name: 'output/orders.csv', bytes: (result as { bytes: number }).bytes }],
    })
  })

  it('finds a function and calls it', async () => {
    const { result, logs } = await runAll(await makeShopApp(), ['search.lua'])
    expect(result).toMatchObject({ called: 'shop.list_orders' })
    expect((result as { answer: { data: unknown[] } }).answer.data).toHaveLength(100)
    expect(logs.join('\n')).toContain('shop: Shop')
  })

  it.each([
    ['dump.lua', { apis: 0 }],
    ['search.lua', { found: 0 }],
  ])('%s explains itself where there is no API', async (name, result) => {
    const { run } = await makeApp()
    expect(await run(read(name))).toMatchObject({ result })
  })

  it('is in the workbench and in the table, each of them', () => {
    const scripts = readdirSync(EXAMPLES).filter((name) => name.endsWith('.lua'))
    const shown = readFileSync(resolve(ROOT, 'src/site/workbench/editor/examples.ts'), 'utf8')
    const told = read('README.md')
    expect([...shown.matchAll(/examples\/([\w-]+\.lua)/g)].map(([, name]) => name)).toEqual(scripts)
    expect(scripts.filter((name) => !told.includes(`\`${name}\``))).toEqual([])
  })
})

describe('the demo API', () => {
  it.each([
    ['sdk.shop.get_order{ id = 12000 }.id', 12_000],
    ['sdk.shop.get_customer{ id = 1 }.name', 'Ben Huber'],
    ['#sdk.shop.list_orders{ limit = 3, status = "paid" }.data', 3],
    [
      'sdk.shop.list_orders{ since = "2025-12-31", limit = 1 }.data[1].placed_at:sub(1, 10)',
      '2025-12-31',
    ],
    ['select(2, pcall(sdk.shop.get_order, { id = 12001 })).status', 404],
    ['select(2, pcall(sdk.shop.list_orders, { limit = 1001 })).status', 400],
  ])('answers %s', async (expression, expected) => {
    const { resultOf } = await makeShopApp()
    expect(await resultOf(`return ${expression}`)).toEqual(expected)
  })

  it('has 400 customers on pages that a header links', async () => {
    const { resultOf } = await makeShopApp()
    const script = `local n = 0
      for page in sdk.pages(sdk.shop.list_customers, { per_page = 150 }) do n = n + #page end
      return n`
    expect(await resultOf(script)).toBe(400)
  })

  it('fails now and then, which scripts need not notice', async () => {
    const { resultOf } = await makeShopApp()
    const script = 'for i = 1, 4 do sdk.shop.get_stock{ product = "mug" } end return "done"'
    expect(await resultOf(script)).toBe('done')
  })

  it('exports a compressed file', async () => {
    const { resultOf } = await makeShopApp()
    const call = 'sdk.shop.export_orders({}, { save_to = "orders.csv.gz" })'
    expect(await resultOf(`return ${call}`)).toMatchObject({ content_type: 'application/gzip' })
    const bytes = await (await fetch(`${shop.origin}/export`)).bytes()
    const csv = gunzipSync(bytes).toString().trim().split('\n')
    expect([csv.length, csv[0]]).toEqual([12_001, 'id,customer_id,placed_at,status,country,total'])
  })
})

describe('moonbucket.toml.example', () => {
  it('compiles without a warning', () => {
    const { texts, warnings } = compileCatalog(SETTINGS, 'moonbucket.toml.example')
    expect(warnings).toEqual([])
    const catalog = new Catalog(texts)
    expect(catalog.apis.map(({ name }) => name)).toEqual(['shop', 'crm'])
    expect(Object.keys(texts.index)).toContain('shop')
  })

  it('is what a service starts with', async () => {
    const { texts } = compileCatalog(SETTINGS, 'moonbucket.toml.example')
    const { resultOf } = await makeCompiledApp(texts, { secrets: SECRETS })
    expect(await resultOf('return sdk.help("shop.list_orders")')).toContain('cursor')
  })

  it('is taken by the local command', async () => {
    const folder = tempFolder()
    copyFileSync(SETTINGS, join(folder, 'moonbucket.toml'))
    expect(readLocalSettings(folder, {})).toEqual({
      folder: join(folder, 'moonbucket-files'),
      maxBytes: 52_428_800,
      hasApis: true,
    })
  })
})
