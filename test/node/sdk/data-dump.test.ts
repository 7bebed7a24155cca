/** What all of this is for: a large data set leaves an API and reaches a person, and no model sees a row. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileCatalog } from '../../../infra/build/apis/compile-catalog.ts'
import type { Answer } from '../../support/make-app.ts'
import { callTool } from './call-tool.ts'
import { blockWith, readDocument } from '../../support/documents.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { makeCompiledApp } from './make-api-app.ts'
import { sendJson, startApi } from './start-api.ts'

const ROWS = 10_000
const PER_PAGE = 500
const SECRET = 'the-token-of-the-shop'

const api = await startApi()
beforeAll(() => {
  api.answer(({ query, headers }, response) => {
    const isKnown = headers.authorization === `Bearer ${SECRET}`
    if (!isKnown || query.get('account_id') !== '42') return sendJson(response, 401, {})
    const page = Number(query.get('page') ?? 1)
    const from = (page - 1) * PER_PAGE
    const rows = Array.from({ length: PER_PAGE }, (_, i) => ({
      id: from + i + 1,
      country: `Country No. ${from + i + 1}`,
      total: ((from + i) * 37) % 1000,
    }))
    const next = `${api.origin}/orders?account_id=42&limit=${PER_PAGE}&page=${page + 1}`
    const isLast = from + PER_PAGE >= ROWS
    sendJson(response, 200, { data: rows }, isLast ? {} : { Link: `<${next}>; rel="next"` })
    return undefined
  })
})
afterAll(() => api.stop())

/** What the guide shows: settings, and a script of the kind that people and models write for them. */
const guide = readDocument('docs/apis.md')
const SCRIPT = `${blockWith(guide, 'lua', 'sdk.pages').replace(/^return (.+)$/m, 'local summary = $1')}
  file.save("output/summary.json", json.encode(summary))
  print("wrote " .. rows .. " rows")
  return summary`

/** From the specification that the API was written for. */
function makeShop() {
  const settings = blockWith(guide, 'toml', '[apis.shop]').replace(
    'https://api.shop.example',
    api.origin,
  )
  const spec = readFileSync(resolve(import.meta.dirname, 'specs/shop.yaml'), 'utf8')
  const folder = tempFolder({ 'moonbucket.toml': settings, 'specs/shop.yaml': spec })
  const { texts, warnings } = compileCatalog(`${folder}/moonbucket.toml`, 'moonbucket.toml')
  expect(warnings).toEqual([])
  return makeCompiledApp(texts, { secrets: { SHOP_TOKEN: SECRET, CRM_TOKEN: 'unused-here' } })
}

const SUM = Array.from({ length: ROWS }, (_, i) => (i * 37) % 1000).reduce((a, b) => a + b, 0)
const TOTALS = { rows: ROWS, sum: SUM }

type App = Awaited<ReturnType<typeof makeShop>>

async function expectFiles({ app }: App, rows: Answer['files_touched']): Promise<void> {
  const open = async (name: string) =>
    (await app.request(rows.find((row) => row.name === name)!.link!)).text()
  const csv = await open('output/orders.csv')
  const lines = csv.trimEnd().split('\n')
  expect(lines).toHaveLength(ROWS + 1)
  expect([lines[0], lines[1], lines.at(-1)]).toEqual([
    'id,country,total',
    '1,Country No. 1,0',
    `${ROWS},Country No. ${ROWS},${((ROWS - 1) * 37) % 1000}`,
  ])
  expect(JSON.parse(await open('output/summary.json'))).toEqual(TOTALS)
}

describe('ten thousand rows', () => {
  it.each<[string, (app: App) => Promise<[answer: Answer, told: string]>]>([
    [
      'over HTTP',
      async (app) => {
        const text = await app.answerText(SCRIPT)
        return [JSON.parse(text) as Answer, text]
      },
    ],
    [
      'for a model',
      async (app) => {
        const result = await callTool(app, 'execute_script', { script: SCRIPT })
        return [result.structuredContent as Answer, JSON.stringify(result)]
      },
    ],
  ])('%s', async (_, ask) => {
    api.seen.length = 0
    const app = await makeShop()
    const [answer, told] = await ask(app)
    expect(answer).toMatchObject({ result: TOTALS, logs: [`wrote ${ROWS} rows`] })
    expect(told).not.toContain('Country No.')
    expect(told.length).toBeLessThan(4000)
    await expectFiles(app, answer.files_touched)
    expect(api.seen).toHaveLength(ROWS / PER_PAGE)
  })

  it('in one call, and in a second run where the first one stopped', async () => {
    const app = await makeShop()
    const script = blockWith(readDocument('docs/apis.md'), 'lua', 'sdk.dump')
    const first = await app.run(script, { limits: { api_calls: 12 } })
    const { next, ...told } = first.result as { next: string }
    expect(told).toEqual({ rows: 6000, stopped: 'limit' })
    const args = { next, file: 'output/more.jsonl' }
    const second = await app.run(script, { args })
    expect(second.result).toEqual({ rows: ROWS - 6000 })
    const lines = await Promise.all(
      [first, second].map(async ({ files_touched: [row] }) =>
        (await (await app.app.request(row!.link!)).text()).trimEnd().split('\n'),
      ),
    )
    expect(lines.flat().map((line) => (JSON.parse(line) as { id: number }).id)).toEqual(
      Array.from({ length: ROWS }, (_, i) => i + 1),
    )
  })

  it('page by page as they come, without passing through the script', async () => {
    const app = await makeShop()
    const script = `
      local bytes = 0
      for page in sdk.pages(sdk.shop.list_orders, { limit = ${PER_PAGE} }, { save_to = "output/orders-{page}.json" }) do
        bytes = bytes + page.bytes
      end
      return bytes`
    const { result, files_touched: rows } = await app.run(script, {
      limits: { memory_bytes: 2 * 1024 * 1024 },
    })
    expect(rows).toHaveLength(ROWS / PER_PAGE)
    expect(result).toBe(rows.reduce((sum, row) => sum + row.bytes, 0))
    const last = await app.app.request(rows.find(({ name }) => name.endsWith('-20.json'))!.link!)
    expect(((await last.json()) as { data: unknown[] }).data.at(-1)).toMatchObject({ id: ROWS })
  })
})
