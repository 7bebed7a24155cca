/** A script answers the same whether it runs on a thread of the pool or on the thread that asks. */
import { afterAll, describe, expect, it } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { parseConfig } from '../../../src/config.ts'
import { nodeService } from '../../../src/entry/node/service.ts'
import { ScriptPool } from '../../../src/pool/script-pool.ts'
import type { LogEvent } from '../../../src/operations/log-event.ts'
import type { Service } from '../../../src/operations/service.ts'
import { loadLua } from '../../../src/vm/load-node.ts'
import { loadLua as loadDamagedLua } from '../../support/damaged-lua.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { ORIGIN } from '../../support/make-app.ts'
import { SECRETS, signToken } from '../../support/sign-token.ts'
import { everyNth } from '../../support/tier.ts'

interface Place {
  readonly app: ReturnType<typeof createApp>
  readonly events: LogEvent[]
}

const s3 = await sharedS3()
const proxy = await startFaultProxy(s3.endpoint)
proxy.follow(({ method, path }) =>
  method === 'PUT' && path.endsWith('/refused') ? 403 : undefined,
)
const config = parseConfig({ ...s3.vars, ...SECRETS, S3_ENDPOINT: proxy.endpoint, STORAGE: 's3' })
const pools: ScriptPool[] = []

const { here, elsewhere } = makePlaces(await loadLua())

afterAll(async () => {
  for (const pool of pools) await pool.close()
  await proxy.stop()
})

/** The service on this thread, and with a pool. */
function makePlaces(lua: WebAssembly.Module): { here: Place; elsewhere: Place } {
  const makePlace = (differences: (log: Service['log']) => Partial<Service>): Place => {
    const events: LogEvent[] = []
    const log = (event: LogEvent) => void events.push(event)
    const service = { ...nodeService(config, lua, log), ...differences(log) }
    return { app: createApp({ service }), events }
  }
  return {
    here: makePlace(() => ({})),
    elsewhere: makePlace((log) => {
      const runner = new URL('../../../src/entry/node-runner.ts', import.meta.url)
      const pool = new ScriptPool({ runner, data: { config, lua }, log, maxThreads: 2 })
      pools.push(pool)
      return { executeElsewhere: pool.execute }
    }),
  }
}

const SAVE = 'io.open("kept", "w"):write("123"):close() print(1)'
const ENDLESS = `${SAVE} while true do end`

const CASES: [name: string, script: string, body?: object, claims?: object][] = [
  ['a number', 'return 1 + 1'],
  ['args', 'return {args, #args.list}', { args: { list: [1, 2.5, '3'], big: 2 ** 60 } }],
  ['a table, and what JSON cannot hold', 'return {n = 0/0, f = print, s = "\\xff", [1] = 2}'],
  ['a result that becomes a file', 'return ("x"):rep(300000)'],
  ['lines', 'print("a", 1) io.write("b") io.stderr:write("c\\n") print() io.write("end")'],
  ['many lines', 'for i = 1, 30000 do print(i) end'],
  ['more lines than are kept', 'for i = 1, 100 do print(("x"):rep(20000)) end'],
  [
    'files',
    `io.open("a.txt", "w"):write("1"):close() io.open("a.txt", "a"):write("2"):close()
     io.open("page.html", "w"):write("<p>"):close() io.open("share/b.csv", "w"):write("x,y"):close()
     io.open("tmp", "w"):close() os.remove("tmp") os.rename("a.txt", "b/c.txt")
     return {io.list(), io.open("b/c.txt"):read("a"), io.open("none")}`,
  ],
  [
    'a plan',
    'file.save("a.txt", "1") os.remove("none") return io.open("a.txt"):read("a")',
    { plan: true },
  ],
  ['file.save', 'return #file.save("x.txt", "text") > 0'],
  ['a syntax error', 'return return'],
  ['a runtime error', 'local function f() error("no " .. nil) end\nprint("before") f()'],
  ['an error that is a table', 'error({code = 1})'],
  ['too deep a recursion', 'local function f() return 1 + f() end return f()'],
  ['no fuel', ENDLESS, { limits: { fuel: 60_000_000 } }],
  ['no memory', `${SAVE} local t = {} while true do t[#t + 1] = ("x"):rep(99999) end`],
  ['no time', ENDLESS, { limits: { timeout_ms: 300 } }],
  ['a limit', `${SAVE} io.open("b", "w"):write("45"):close()`, { limits: { write_bytes: 4 } }],
  ['a result that is a cycle', 'local t = {} t[1] = t return t'],
  ['a store that refuses', `${SAVE} io.open("refused", "w"):write("1"):close() return 5`],
  ['a failure that stores nothing', `${SAVE} error("x")`, { commit: 'on_success' }],
  ['no right to files', 'return {io == nil, file == nil}', {}, { scope: 'execute' }],
  ['reading only', 'return {pcall(io.open, "a", "w")}', {}, { scope: 'execute files:read' }],
  ['a caller without a user', SAVE, {}, { sub: undefined }],
  ['a script that is too large', `--${'x'.repeat(1_100_000)}`],
  ['a field nobody knows', 'return 1', { limit: {} }],
]

/** In `npm test`; the rest only under `npm run test:all`. */
const STREAMED = everyNth(4, CASES).map(([name]) => name)

describe.each<(typeof CASES)[number]>(CASES)('%s', (name, script, body = {}, claims = {}) => {
  it('answers the same', async () => {
    const ask = (place: Place) => answerOf(place, JSON.stringify({ script, ...body }), claims)
    expect(await ask(elsewhere)).toEqual(await ask(here))
  })

  it.runIf(STREAMED.includes(name))('streams the same', async () => {
    const ask = (place: Place) => streamOf(place, JSON.stringify({ script, ...body }), claims)
    expect(await ask(elsewhere)).toEqual(await ask(here))
  })
})

it('as a tool, answers the same', async () => {
  const message = (script: string) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'execute_script', arguments: { script } },
    })
  const body = message('for i = 1, 3000 do print(i) end file.save("a", "1") return {x = 1}')
  const ask = async (place: Place) => {
    const headers = { Accept: 'application/json, text/event-stream' }
    const response = await post(place, '/mcp', body, {}, headers)
    return [response.status, withoutChance(await response.text())]
  }
  expect(await ask(elsewhere)).toEqual(await ask(here))
})

it('a script that breaks its VM answers the same, and so does the next', async () => {
  const places = makePlaces(await loadDamagedLua())
  for (const script of [
    'print("one") io.open("a.txt", "w"):write("1"):close() os.difftime(1, 0)',
    'return 1',
  ]) {
    const ask = (place: Place) => answerOf(place, JSON.stringify({ script }), {})
    const answer = await ask(places.elsewhere)
    expect(answer).toEqual(await ask(places.here))
    expect(answer.events.includes('fault')).toBe(script !== 'return 1')
  }
})

async function post(
  { app }: Place,
  path: string,
  body: string,
  claims: object,
  headers: Record<string, string>,
): Promise<Response> {
  // Each run finds no files of another.
  const tenant = `t-${crypto.randomUUID()}`
  const token = await signToken({ tenant, sub: 'alice', ...claims })
  return app.request(`${ORIGIN}${path}`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', ...headers, Authorization: `Bearer ${token}` },
  })
}

async function answerOf(place: Place, body: string, claims: object) {
  place.events.length = 0
  const response = await post(place, '/execute', body, claims, {})
  const { headers } = response
  const names = Array.from(
    headers.get('Server-Timing')?.matchAll(/(\w+);/g) ?? [],
    ([, name]) => name,
  )
  const answer = withoutChance(await response.text())
  const fuel = answer.includes('"kind":"timeout"')
    ? 'as much as there was time for'
    : headers.get('X-Fuel-Used')
  return { status: response.status, names, fuel, answer, events: eventsOf(place) }
}

/** Files are reported as they are stored, several at a time, so their order varies. */
async function streamOf(place: Place, body: string, claims: object) {
  place.events.length = 0
  const response = await post(place, '/execute', body, claims, { Accept: 'text/event-stream' })
  const events = withoutChance(await response.text()).split('\n\n')
  const files = events.filter((event) => event.startsWith('event: file')).sort()
  const others = events.filter((event) => !/^event: (?:file|stats)/.test(event))
  return { status: response.status, files, others, events: eventsOf(place) }
}

function eventsOf({ events }: Place) {
  return events.map((event) =>
    event.event === 'run'
      ? {
          ...event,
          request_id: '',
          tenant: '',
          ms: 0,
          fuel: event.outcome === 'timeout' ? 0 : event.fuel,
        }
      : event.event,
  )
}

/** Ids, signatures and times differ from run to run, wherever it runs. */
function withoutChance(text: string): string {
  return text
    .replace(/"(url|link|uri|request_id)":"[^"]*"/g, '"$1":"…"')
    .replace(/\\"(link)\\":\\"[^"]*\\"/g, '$1')
    .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'a time')
    .replace(/((?:result|logs)_)[0-9a-f]{12}/g, '$1id')
}
