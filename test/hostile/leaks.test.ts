/** Whatever goes wrong, no answer, no text a script can catch and no log tells what is nobody's business. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { AppError } from '../../src/errors.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { s3Presigner } from '../../src/storage/s3/presigner.ts'
import { makeMcp } from '../mcp/make-mcp.ts'
import { busyAdmission } from '../support/busy-admission.ts'
import { makeApp, runtimeStorage, type Answer, type MakeAppOptions } from '../support/make-app.ts'
import { signToken } from '../support/sign-token.ts'
import { watchedStorage, type StorageRequest } from '../support/watched-storage.ts'

/** Everything nobody may learn has this word in it. */
const CANARY = /canary/i

const ENV = {
  AUTH_SECRET: 'canary-auth-secret',
  AUTH_JWKS_URL: 'http://127.0.0.1:1/canary-keys',
  AUTH_ISSUER: 'https://canary-issuer.example',
  AUTH_AUDIENCE: 'canary-audience',
  LINK_SECRET: 'canary-link-secret-1, canary-link-secret-2',
  KEY_PREFIX: 'canary-prefix/',
  S3_ENDPOINT: 'https://canary-endpoint.example',
  S3_REGION: 'canary-region',
  S3_BUCKET: 'canary-bucket',
  S3_ACCESS_KEY_ID: 'canary-access-key',
  S3_SECRET_ACCESS_KEY: 'canary-s3-secret',
  S3_SESSION_TOKEN: 'canary-session-token',
}
const CLAIMS = {
  tenant: 'canary-tenant',
  sub: 'canary-user',
  iss: ENV.AUTH_ISSUER,
  aud: ENV.AUTH_AUDIENCE,
}
type Request = StorageRequest | 'presignGet'

const NEIGHBOUR = { ...CLAIMS, tenant: 'canary-neighbour' }

/** A store that can fail, and then says more than it should. */
function talkativeStorage(inner: StorageDriver) {
  let failing: readonly Request[] = []
  const { S3_BUCKET, S3_SECRET_ACCESS_KEY, AUTH_SECRET } = ENV
  const meet = (request: Request, key: string) => {
    if (!failing.includes(request)) return
    throw new Error(
      `${S3_BUCKET}: no ${request} of ${key} with ${S3_SECRET_ACCESS_KEY}, ${AUTH_SECRET} at file:///canary/node_modules/s3.ts:1:2`,
    )
  }
  const { presignGet, presignPut } = s3Presigner({
    endpoint: ENV.S3_ENDPOINT,
    region: ENV.S3_REGION,
    bucket: ENV.S3_BUCKET,
    accessKeyId: ENV.S3_ACCESS_KEY_ID,
    secretAccessKey: ENV.S3_SECRET_ACCESS_KEY,
    forcePathStyle: true,
  })
  const storage: StorageDriver = {
    ...watchedStorage(inner, meet),
    presignPut,
    presignGet: async (key, options) => (meet('presignGet', key), presignGet(key, options)),
  }
  /** Does something while these requests fail. */
  async function without<T>(requests: readonly Request[], act: () => Promise<T>): Promise<T> {
    failing = requests
    try {
      return await act()
    } finally {
      failing = []
    }
  }
  return { storage, without }
}

async function makeCanaryApp(options: MakeAppOptions = {}) {
  const { storage, without } = talkativeStorage(await runtimeStorage())
  const made = await makeApp({ env: ENV, storage, ...options })
  const send = (body: unknown, headers: Record<string, string> = {}, claims = CLAIMS) =>
    made.post(body, headers, claims)
  const answerOf = async (script: string, body: object = {}) =>
    (await (await send({ script, ...body })).json()) as Answer
  // The neighbour is there to be named by mistake.
  await send({ script: 'io.open("share/a.txt", "w"):write("theirs"):close()' }, {}, NEIGHBOUR)
  return { ...made, without, send, answerOf }
}

interface Told {
  readonly status: number
  readonly text: string
}

/** Headers and body, as they came. */
async function toldBy(response: Response): Promise<Told> {
  const headers = [...response.headers].map((header) => header.join(': '))
  return { status: response.status, text: [...headers, '', await response.text()].join('\n') }
}

/** A URL of the store has to name its bucket and the key in it. */
const withoutUrls = (text: string) => text.replaceAll(/"url":"[^"]*"/g, '"url":""')

const WRITE = 'io.open("output/a.csv", "w"):write("1,2,3"):close()'
const EVENTS = { Accept: 'text/event-stream' }
const PAGE = { headers: { Accept: 'text/html' } }

describe('an answer', () => {
  const told: Told[] = []
  let kinds: string[]

  beforeAll(async () => {
    const failsToFetch = () => Promise.reject(new TypeError(`no answer of ${ENV.AUTH_JWKS_URL}`))
    vi.stubGlobal('fetch', failsToFetch)
    told.push(...(await provokeRefusals()), ...(await provokeFailures()))
    kinds = told.flatMap(({ text }) => /"error":\{"kind":"(\w+)"/.exec(text)?.[1] ?? [])
  })

  afterAll(() => vi.unstubAllGlobals())

  it('of every status and every kind of error was given', () => {
    const statuses = new Set(told.map(({ status }) => status))
    expect([...statuses].sort()).toEqual([200, 400, 401, 403, 404, 413, 416, 422, 429, 500, 503])
    expect([...new Set(kinds)].sort()).toEqual(
      ['fuel', 'limit', 'memory', 'result', 'runtime', 'storage', 'syntax', 'timeout'].sort(),
    )
  })

  it('that ended after it had begun was given', () => {
    const isBroken = ({ status, text }: Told) => status === 200 && text.includes('event: error\n')
    expect(told.filter(isBroken)).toHaveLength(1)
  })

  it('names neither secrets nor keys, nor where anything is, nor who else is there', () => {
    expect(told.map(({ text }) => withoutUrls(text)).filter((text) => CANARY.test(text))).toEqual(
      [],
    )
    const ofTheHost = /node_modules|file:\/\/|\.[cm]?[jt]s:\d|\/share\/a\.txt/
    expect(told.filter(({ text }) => ofTheHost.test(text))).toEqual([])
  })
})

async function provokeRefusals(): Promise<Told[]> {
  const { app, send, post, tokenOf, answerOf, without } = await makeCanaryApp()
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
  const script = { script: 'return 1' }
  const { link } = (await answerOf(WRITE)).files_touched[0]!
  const forged = link!.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A'))
  const elsewhere = link!.replace('a.csv', 'b.csv')
  const late = await makeCanaryApp({ now: () => new Date(Date.now() + 30 * 86_400_000) })
  const limited = await makeCanaryApp({ countRequest: async () => false })
  const [hs256, claims, signature] = (await tokenOf(CLAIMS)).split('.')
  const es256 = btoa('{"alg":"ES256","kid":"canary"}').replaceAll('=', '')
  const expired = await signToken(CLAIMS, { secret: ENV.AUTH_SECRET, ttlS: -60 })

  const requests: (() => Promise<Response>)[] = [
    async () => app.request('/nowhere'),
    async () => app.request('/execute'),
    async () => app.request('/execute', { method: 'POST' }),
    () => post(script, { Authorization: 'Basic abc' }),
    () => post(script, bearer('a.b.c')),
    () => post(script, bearer(expired)),
    () => post(script, bearer(`${hs256}.${claims}.${signature!.slice(1)}`)),
    () => post(script, bearer(`${es256}.${claims}.${signature}`)),
    async () => post(script, bearer(await tokenOf({ ...CLAIMS, aud: 'other' }))),
    async () => post(script, bearer(await tokenOf({ ...CLAIMS, iss: 'other' }))),
    async () => post(script, bearer(await tokenOf({ ...CLAIMS, tenant: undefined }))),
    async () => post(script, bearer(await tokenOf({ ...CLAIMS, tenant: 7 }))),
    async () => post(script, bearer(await tokenOf({ ...CLAIMS, scope: 'files:read' }))),
    () => send('{'),
    () => send('[]'),
    () => send({}),
    () => send({ ...script, tenant: 'other' }),
    () => send({ ...script, link_ttl_s: 1 }),
    () => send({ script: ' '.repeat(1_048_577) }),
    () => send(' '.repeat(5_000_000)),
    () => limited.send(script),
    async () => app.request(forged),
    async () => app.request(forged, PAGE),
    async () => app.request(elsewhere),
    async () => app.request(elsewhere, PAGE),
    async () => late.app.request(link!),
    async () => late.app.request(link!, PAGE),
    async () => app.request('/files/out'),
    async () => app.request('/files/out', PAGE),
    async () => app.request('/files/out?path=../x&token=x', PAGE),
    async () => app.request(link!, { headers: { Range: 'bytes=99-' } }),
    () => without(['head'], async () => app.request(link!)),
    () => without(['head'], async () => app.request(link!, PAGE)),
    () => without(['getStream'], async () => app.request(link!)),
    () => without(['head'], async () => app.request('/health/ready')),
    goneFile,
    refusedWhenBusy,
    () => brokenRun({}),
    () => brokenRun(EVENTS),
  ]
  const told: Told[] = []
  for (const request of requests) told.push(await toldBy(await request()))
  return told

  async function goneFile(): Promise<Response> {
    const { files_touched: rows } = await answerOf('io.open("gone.txt", "w"):close()')
    await answerOf('os.remove("gone.txt")')
    return app.request(rows[0]!.link!)
  }
}

async function refusedWhenBusy(): Promise<Response> {
  const { admission, free } = busyAdmission()
  const { send } = await makeCanaryApp({ admission })
  const refused = await send({ script: 'return 1' })
  await free()
  return refused
}

/** Fails where nobody expects it, after the run was admitted. */
async function brokenRun(headers: Record<string, string>): Promise<Response> {
  let isBroken = false
  const { send } = await makeCanaryApp({
    now() {
      if (isBroken) throw new Error('canary-bucket at file:///canary/node_modules/clock.ts:1:2')
      return new Date()
    },
    // The last thing before the run.
    countRequest: async () => (isBroken = true),
  })
  isBroken = false
  return send({ script: 'return 1' }, headers)
}

async function provokeFailures(): Promise<Told[]> {
  const { send, without } = await makeCanaryApp()
  const scripts: [string, object?][] = [
    ['return +'],
    ['error("out of paper")'],
    ['error({code = 7})'],
    ['error(setmetatable({}, {__tostring = function() error("twice") end}))'],
    ['local t = nil; return t.x'],
    ['return file.save("../x", "")'],
    ['return io.open("a", "mode")'],
    ['while true do end', { limits: { fuel: 100_000 } }],
    ['local s = ("x"):rep(1 << 20); while true do s = s .. s end'],
    ['while true do end', { limits: { timeout_ms: 20 } }],
    ['io.open("a", "w"):write(("x"):rep(100))', { limits: { write_bytes: 10 } }],
    ['local open = {} for i = 1, 100 do open[i] = io.open("f" .. i, "w") end'],
    ['local t = {} t.t = t return t'],
  ]
  const told: Told[] = []
  for (const headers of [{}, EVENTS]) {
    for (const [script, body] of scripts) {
      told.push(await toldBy(await send({ script, ...body }, headers)))
    }
    const all: Request[] = ['get', 'head', 'put', 'delete', 'list']
    const outages: [readonly Request[], string][] = [
      [all, WRITE],
      [all, `${WRITE} io.open("output/b.csv", "a"):write("x"):close()`],
      [all, 'assert(io.open("a.txt"))'],
      [all, 'for line in io.lines("a.txt") do print(line) end'],
      [all, 'assert(io.list("."))'],
      [all, 'assert(os.remove("a.txt"))'],
      [all, 'assert(os.rename("a.txt", "b.txt"))'],
      [all, 'return file.save("a.txt", "x")'],
      [['presignGet'], WRITE],
    ]
    for (const [requests, script] of outages) {
      const limits = { timeout_ms: 1000 }
      const respond = async () => toldBy(await send({ script, limits }, headers))
      told.push(await without(requests, respond))
    }
  }
  return told
}

describe('a script', () => {
  /** Every way to ask for a file that is not there, or cannot be had. */
  const CATCH_ALL = `
    local function try(...)
      local found = table.pack(pcall(...))
      for i = 1, found.n do print(tostring(found[i])) end
    end
    for _, mode in ipairs{"r", "w", "a", "r+", "w+", "a+", "x"} do
      for _, path in ipairs{"none.txt", "a.txt", "a.txt/b", "share", "share/x", "../x", "/x", "", "a\\0b"} do
        try(io.open, path, mode)
        try(function() local f = assert(io.open(path, mode)) f:write("x") f:seek("end") f:read("a") return f end)
      end
    end
    for _, path in ipairs{".", "share", "none", "a.txt", "../x", "/"} do
      try(io.list, path)
      try(io.lines, path)
      try(os.remove, path)
      try(os.rename, path, "b.txt")
      try(os.rename, "b.txt", path)
      try(file.save, path, "x")
      try(file.save, "output/" .. path, "x")
    end
    try(os.tmpname)
    try(io.close)
    try(error)
    local f = io.open("c.txt", "w")
    f:close()
    try(f.write, f, "x")
    try(function() return f.nothing.more end)
    for k, v in pairs(_G) do print(k, tostring(v)) end
    error("over")`

  it.each<[string, Request[]]>([
    ['that works', []],
    ['that fails', ['get', 'head', 'put', 'delete', 'list']],
    ['that cannot be read', ['get', 'list']],
    ['that cannot be written', ['put', 'delete']],
  ])('reads no key in what a store %s makes it say', async (_, failing) => {
    const { answerOf, without } = await makeCanaryApp()
    await answerOf('io.open("a.txt", "w"):write("text"):close()')
    const limits = { timeout_ms: 3000 }
    const answer = await without(failing, () => answerOf(CATCH_ALL, { limits }))
    expect(answer.logs.length).toBeGreaterThan(150)
    const text = withoutUrls(JSON.stringify(answer))
    expect(text).not.toMatch(CANARY)
    expect(text).not.toMatch(/node_modules|file:\/\/|\.[cm]?[jt]s:\d|users\//)
  })
})

describe('the log', () => {
  it('tells of runs, refusals and faults without tokens, secrets or what scripts say', async () => {
    const { app, events, send, post, tokenOf, without, answerOf } = await makeCanaryApp()
    const script = `local said = "parrot" print(said) error("parrot " .. args)`
    const token = await tokenOf(CLAIMS)
    const expired = await signToken(CLAIMS, { secret: ENV.AUTH_SECRET, ttlS: -60 })
    const link = (await answerOf(WRITE)).files_touched[0]!.link!
    const linkToken = new URL(link).searchParams.get('token')!
    const forged = `${linkToken.slice(0, -1)}${linkToken.endsWith('A') ? 'B' : 'A'}`

    await send({ script, args: 'parrot' })
    await send({ script: `parrot parrot` })
    await post({ script }, { Authorization: `Bearer ${expired}` })
    await post({ script }, { Authorization: `Bearer ${token}x` })
    await send({ script, parrot: 'parrot' })
    await app.request(link.replace(linkToken, forged))
    await without(['head'], async () => app.request(link))
    await without(['presignGet'], () => send({ script: `${WRITE} return "parrot"` }))

    const kinds = events.map(({ event }) => event)
    expect([...new Set(kinds)].sort()).toEqual(['change', 'denied', 'fault', 'run'])
    // What the store says of itself is the operator's to read; here it says two of the secrets on purpose.
    const text = JSON.stringify(events.filter(({ event }) => event !== 'fault'))
    const faults = JSON.stringify(events.filter(({ event }) => event === 'fault'))
    const secrets = [ENV.AUTH_SECRET, ENV.S3_SECRET_ACCESS_KEY, ENV.S3_ACCESS_KEY_ID]
    for (const secret of secrets) expect(text).not.toContain(secret)
    const unsaid = [token, expired, linkToken, forged, 'parrot', ...ENV.LINK_SECRET.split(', ')]
    for (const secret of unsaid) expect(text + faults).not.toContain(secret)
  })
})

it('nothing of a token is in a model’s answer, in its files or in the log', async () => {
  const { call, ask, tokenOf, events, stored } = await makeMcp()
  const token = await tokenOf()
  const options = { headers: { Authorization: `Bearer ${token}` } }
  const script = 'file.save("a", json.encode(_G.args or {})) print(args) error("x")'
  const heard = [
    await call('execute_script', { script }, options),
    await call('save_result_page', { title: 'T', content: 'x' }, options),
    await ask('resources/list', {}, options),
    await ask('nonsense', {}, options),
    await ask('tools/list', {}, { headers: { Authorization: `Basic ${token}` } }),
  ]
  const all = JSON.stringify([heard, events, await stored()])
  expect(all).not.toContain(token.split('.')[2])
  expect(events.map(({ event }) => event)).toEqual(['change', 'run', 'change', 'denied'])
})

describe('the watch over every answer of an app', () => {
  const leaks: [string, string][] = [
    ['a 409 names KEY_PREFIX', 'at canary-prefix/x'],
    ['a 409 names S3_BUCKET', 'in canary-bucket'],
    ['a 409 names LINK_SECRET', 'signed with canary-link-secret-2'],
    ['a 409 names the name of a tenant', 'of canary-tenant'],
    ['a 409 names a segment of a key', 'in a_b--fzztnxeoxkd66rzn6vumgvecvp/x'],
    ['a 409 names a line of the source', 'at app.ts:12'],
  ]

  it.each(leaks)('fails a test: %s', async (fault, message) => {
    const countRequest = () => Promise.reject(new AppError('conflict', message))
    const { post } = await makeApp({ env: ENV, countRequest })
    await expect(post({}, {}, CLAIMS)).rejects.toThrow(fault)
  })

  it.each<Record<string, string>>([{}, EVENTS])(
    'fails a test whose script tells a key: %j',
    async (headers) => {
      const { post } = await makeApp({ env: ENV })
      const script = 'error("canary-prefix/x")'
      const told = post({ script }, headers, CLAIMS).then((response) => response.text())
      await expect(told).rejects.toThrow('a failed run names KEY_PREFIX')
    },
  )
})
