/** `POST /execute`: what a caller may ask for, and what the answer holds. */
import { describe, expect, it } from 'vitest'
import { makeGate } from '../support/gate.ts'
import { LINKED } from '../support/linked.ts'
import { makeApp, runtimeStorage, type Answer, type Row } from '../support/make-app.ts'
import { gatedStorage } from '../support/gated-storage.ts'
import { watchedStorage } from '../support/watched-storage.ts'

const NOW = new Date('2026-11-16T09:00:00.700Z')
const MIB = 1024 * 1024

const nextTurn = () => new Promise<void>((resolve) => setTimeout(resolve, 0))

it('a run answers with result, logs and files that open', async () => {
  const { app, run } = await makeApp()
  const answer = await run(
    `
    print("working")
    local f = io.open("output/a.txt", "w")
    f:write("hello ", args.name)
    f:close()
    return {rows = 3}`,
    { args: { name: 'Ann' } },
  )
  expect(answer).toEqual({
    result: { rows: 3 },
    logs: ['working'],
    files_touched: [{ name: 'output/a.txt', op: 'write', bytes: 9, ...LINKED }],
  })
  const { url, link } = answer.files_touched[0]!
  for (const address of [url!, link!]) {
    expect(await (await app.request(address)).text()).toBe('hello Ann')
  }
})

describe('args', () => {
  it.each([
    ['"text"', 'string text'],
    ['"é\\u0000"', 'string é\0'],
    ['7', 'integer 7'],
    ['-1.5', 'float -1.5'],
    ['9007199254740993', 'integer 9007199254740993'],
    ['-9223372036854775808', 'integer -9223372036854775808'],
    ['9223372036854775808', 'float 9.2233720368548e+18'],
    ['true', 'boolean true'],
    ['false', 'boolean false'],
    ['null', 'null'],
    ['[1,[9007199254740993]]', 'table [1,[9007199254740993]]'],
    ['{"a":{"b":9007199254740993}}', 'table {"a":{"b":9007199254740993}}'],
    ['[]', 'table []'],
    ['{}', 'table {}'],
    ['{"__proto__":1}', 'table {"__proto__":1}'],
  ])('%s reaches the script', async (json, seen) => {
    const { post } = await makeApp()
    const script = `
      if args == json.null then print("null")
      elseif type(args) == "table" then print("table " .. json.encode(args))
      else io.write(math.type(args) or type(args), " ", tostring(args)) end`
    const response = await post(`{"script":${JSON.stringify(script)},"args":${json}}`)
    expect(((await response.json()) as Answer).logs.join('\n')).toBe(seen)
  })

  it('is nil when absent', async () => {
    const { run } = await makeApp()
    expect((await run('return args == nil')).result).toBe(true)
  })

  it.each(['', '9007199254740993'])('may be nested 200 levels deep around %j', async (inside) => {
    const { post } = await makeApp()
    const args = '['.repeat(200) + inside + ']'.repeat(200)
    const response = await post(`{"script":"return type(args)","args":${args}}`)
    expect(await response.json()).toEqual({ result: 'table', logs: [], files_touched: [] })
  })
})

describe('limits', () => {
  const TABLE = [
    ['fuel', 'FUEL', 200_000, 'while true do end', 'used all of its 200000 units'],
    ['memory_bytes', 'VM_MEMORY_BYTES', 4 * MIB, 'string.rep("x", 8e6)', 'not enough memory'],
    ['timeout_ms', 'TIMEOUT_MS', 60, 'io.open("gate")', 'the script ran longer than 60 ms'],
    ['write_bytes', 'IO_MAX_BYTES', 5, 'file.save("b", "123456")', 'exceeded (5 bytes)'],
  ] as const

  it.each(TABLE)('%s lowers what the service allows', async (field, _, limit, script, message) => {
    const { run } = await makeApp({ storage: (await gatedStorage()).storage })
    const { error } = await run(script, { limits: { [field]: limit } })
    expect(error?.message).toContain(message)
  })

  it.each(TABLE)('%s never raises %s', async (field, variable, limit, script, message) => {
    const env = { [variable]: String(limit) }
    const { run } = await makeApp({ storage: (await gatedStorage()).storage, env })
    const { error } = await run(script, { limits: { [field]: Number.MAX_SAFE_INTEGER } })
    expect(error?.message).toContain(message)
  })

  it('may be given together, api_calls too, and leave the others as they are', async () => {
    const { run } = await makeApp()
    const sizes = { memory_bytes: 8 * MIB, write_bytes: 9 }
    const limits = { ...sizes, fuel: 1e7, timeout_ms: 5000, api_calls: 0 }
    expect(await run('return 1', { limits })).toEqual({ result: 1, logs: [], files_touched: [] })
  })
})

it('commit: on_close stores a closed file while the script waits', async () => {
  const stored = makeGate()
  const storage = watchedStorage(await runtimeStorage(), async (request, key) => {
    if (request === 'put') stored.open()
    // The script gets no answer before its first file is on its way.
    else if (key.endsWith('/gate')) await stored.opened
  })
  const { run } = await makeApp({ storage })
  const answer = await run('io.open("a", "w"):write("x"):close() io.open("gate") return 1', {
    commit: 'on_close',
  })
  expect(answer).toMatchObject({ result: 1, files_touched: [{ name: 'a', bytes: 1 }] })
})

describe('commit: on_success', () => {
  const commit = 'on_success'

  it('stores nothing before the script has ended', async () => {
    const requests: string[] = []
    const storage = watchedStorage(await runtimeStorage(), async (request, key) => {
      requests.push(`${request} ${key.slice(key.lastIndexOf('/') + 1)}`)
      if (request === 'head') await nextTurn()
    })
    const { run, stored } = await makeApp({ storage })
    const script = `
      io.open("a", "w"):write(string.rep("x", 9000000)):close()
      io.open("gate")
      io.open("b", "w"):write("2"):close()`
    const { files_touched } = await run(script, { commit })
    const puts = requests.filter((request) => request.startsWith('put'))
    expect([requests[0], ...puts]).toEqual(['head gate', 'put a', 'put b'])
    expect(files_touched).toEqual([
      { name: 'a', op: 'write', bytes: 9_000_000, ...LINKED },
      { name: 'b', op: 'write', bytes: 1, ...LINKED },
    ])
    expect(Object.keys(await stored())).toEqual(['users/alice/a', 'users/alice/b'])
  })

  it('lets the script read what it wrote', async () => {
    const { run } = await makeApp()
    const script = `
      io.open("a", "w"):write("one"):close()
      io.open("a", "a"):write(" two"):close()
      return {io.open("a"):read("a"), table.unpack(io.list())}`
    expect((await run(script, { commit })).result).toEqual(['one two', 'a'])
  })

  it('changes nothing when the script fails, and says what it would have done', async () => {
    const { run, stored } = await makeApp()
    await run('file.save("kept", "old") file.save("grown", "old")')
    const script = `
      io.open("new", "w"):write("123"):close()
      io.open("grown", "a"):write("er"):close()
      os.remove("kept")
      error("too late")`
    const { files_touched, error } = await run(script, { commit })
    expect(error).toMatchObject({ kind: 'runtime', message: 'script:5: too late' })
    expect(files_touched).toEqual([
      { name: 'grown', op: 'append', bytes: 5, stored: false },
      { name: 'kept', op: 'remove', bytes: 0, stored: false },
      { name: 'new', op: 'write', bytes: 3, stored: false },
    ])
    expect(await stored()).toEqual({ 'users/alice/kept': 'old', 'users/alice/grown': 'old' })
  })

  it('says which files made it when storing fails half-way', async () => {
    const storage = watchedStorage(await runtimeStorage(), (request, key) => {
      if (request === 'put' && key.endsWith('/b')) throw new Error('the store is down')
    })
    const { run } = await makeApp({ storage })
    const script = 'for _, name in ipairs{"a", "b", "c"} do file.save(name, name) end return 1'
    expect(await run(script, { commit })).toEqual({
      result: 1,
      logs: [],
      files_touched: [
        { name: 'a', op: 'write', bytes: 1, ...LINKED },
        { name: 'b', op: 'write', bytes: 1, stored: false },
        { name: 'c', op: 'write', bytes: 1, ...LINKED },
      ],
      error: {
        kind: 'storage',
        message: 'not everything was stored; not accepted by the store: b',
      },
    })
  })
})

describe('link_ttl_s', () => {
  const expiriesOf = ([row]: Row[]) => [row?.expires_at, row?.url_expires_at]

  it.each<[number | undefined, Record<string, string>, string]>([
    [60, {}, '2026-11-16T09:01:00Z'],
    [604_800, { LINK_TTL_S: '120' }, '2026-11-23T09:00:00Z'],
    [undefined, {}, '2026-11-17T09:00:00Z'],
    [undefined, { LINK_TTL_S: '120' }, '2026-11-16T09:02:00Z'],
  ])('%s, with the settings %j, gives links that end at %s', async (link_ttl_s, env, end) => {
    const { run } = await makeApp({ now: () => NOW, env })
    const { files_touched } = await run('file.save("a", "x")', { link_ttl_s })
    expect(expiriesOf(files_touched)).toEqual([end, end])
  })

  it('is kept by the link itself', async () => {
    let now = NOW
    const { app, run } = await makeApp({ now: () => now })
    const { files_touched } = await run('file.save("a", "x")', { link_ttl_s: 60 })
    const open = async () => (await app.request(files_touched[0]!.link!)).status
    now = new Date('2026-11-16T09:00:59Z')
    expect(await open()).toBe(200)
    now = new Date('2026-11-16T09:01:01Z')
    expect(await open()).toBe(403)
  })
})
