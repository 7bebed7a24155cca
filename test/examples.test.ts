/** What people copy first works: the scripts of `examples`, and `moonbucket.toml.example`. */
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readLocalSettings } from '../src/cli/local-settings.ts'
import { Catalog } from '../src/sdk/catalog/catalog.ts'
import { compileCatalog } from '../infra/build/apis/compile-catalog.ts'
import { tempFolder } from './support/temp-folder.ts'
import { makeCompiledApp } from './node/sdk/make-api-app.ts'
import { sendJson, startApi, type TestApi } from './node/sdk/start-api.ts'
import { makeApp } from './support/make-app.ts'

const ROOT = resolve(import.meta.dirname, '..')
const EXAMPLES = resolve(ROOT, 'examples')
const SETTINGS = resolve(ROOT, 'moonbucket.toml.example')
const SECRETS = { SHOP_TOKEN: 'token-of-the-shop', CRM_TOKEN: 'token-of-the-crm' }

/** The plot begins today. */
const NOW = new Date('2026-01-01T12:00:00Z')

const read = (name: string) => readFileSync(join(EXAMPLES, name), 'utf8')

let shop: TestApi

beforeAll(async () => {
  shop = await startApi()
})
afterAll(() => shop.stop())

beforeEach(() => {
  shop.answer(({ query }, response) => {
    const page = Number(query.get('page') ?? 1)
    const rows = [1, 2].map((i) => ({ id: page * 10 + i, customer: `C${i}`, amount: i }))
    const next = { Link: `<${shop.origin}/orders?page=${page + 1}>; rel="next"` }
    sendJson(response, 200, rows, page < 3 ? next : {})
  })
})

/** The service with the shop as it is described, on loopback. */
async function makeShopApp() {
  const settings = `[apis.shop]
    spec = ${JSON.stringify(join(EXAMPLES, 'shop.yaml'))}
    base_url = "${shop.origin}"
    auth = { type = "bearer", secret = "SHOP_TOKEN" }
    frozen_params = { "query.account_id" = "42" }`
  const folder = tempFolder({ 'moonbucket.toml': settings })
  const { texts } = compileCatalog(join(folder, 'moonbucket.toml'), 'moonbucket.toml')
  return makeCompiledApp(texts, { secrets: SECRETS, now: () => NOW })
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
    expect(result).toEqual({ file: 'output/shop.list_orders.jsonl', rows: 6 })
    const rows = fileOf('output/shop.list_orders.jsonl')!.trim().split('\n')
    expect(rows.map((row) => (JSON.parse(row) as { id: number }).id)).toEqual([
      11, 12, 21, 22, 31, 32,
    ])
    expect(shop.seen.map(({ query }) => query.get('account_id'))).toEqual(['42', '42', '42'])
  })

  it('finds a function and calls it', async () => {
    const { result, logs } = await runAll(await makeShopApp(), ['search.lua'])
    expect(result).toEqual({
      called: 'shop.list_orders',
      answer: [
        { id: 11, customer: 'C1', amount: 1 },
        { id: 12, customer: 'C2', amount: 2 },
      ],
    })
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
    const shown = readFileSync(resolve(ROOT, 'src/site/workbench/examples/examples.ts'), 'utf8')
    const told = read('README.md')
    expect([...shown.matchAll(/examples\/([\w-]+\.lua)/g)].map(([, name]) => name)).toEqual(scripts)
    expect(scripts.filter((name) => !told.includes(`\`${name}\``))).toEqual([])
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
    expect(await resultOf('return sdk.help("shop.list_orders")')).toContain('page')
  })

  it('is taken by the local command', async () => {
    const folder = tempFolder()
    copyFileSync(SETTINGS, join(folder, 'moonbucket.toml'))
    expect(readLocalSettings(folder, {})).toEqual({
      folder: join(folder, 'moonbucket-files'),
      maxBytes: 52_428_800,
    })
  })
})
