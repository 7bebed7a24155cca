/** `execute_script`: a run as a model asks for it and is told of it. */
import { describe, expect, it } from 'vitest'
import { Admission } from '../../src/operations/memory/admission.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { makeGate } from '../support/gate.ts'
import { runtimeStorage, type Answer, type Row } from '../support/make-app.ts'
import { headersOf, makeMcp, requestOf, REVISIONS, type AskOptions } from './make-mcp.ts'

const NOW = new Date('2026-11-16T09:00:00Z')

async function makeRuns(options: Parameters<typeof makeMcp>[0] = {}) {
  const made = await makeMcp({ now: () => NOW, ...options })
  const script = (text: string, input: object = {}, ask: AskOptions = {}) =>
    made.call<Answer>('execute_script', { script: text, ...input }, ask)
  return { ...made, script }
}

const row = (name: string, bytes: number, op = 'write') => ({
  name,
  op,
  bytes,
  link: expect.stringMatching(/^https:\/\/moonbucket\.test\/files\/out\?path=\S{10,200}$/),
  expires_at: '2026-11-17T09:00:00Z',
})

/** As a client in another language writes it: JavaScript's numbers would not do. */
function messageText(script: string, argsText: string, meta: unknown): string {
  const source = JSON.stringify(script)
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_script","_meta":${JSON.stringify(meta)},"arguments":{"script":${source},"args": ${argsText} }}}`
}

describe.each(REVISIONS)('args in %s', (revision) => {
  async function sendText(script: string, argsText: string): Promise<string> {
    const { send } = await makeMcp()
    const params = { name: 'execute_script' }
    const { params: modern } = requestOf('tools/call', params, { revision })
    const meta = (modern as { _meta?: unknown })._meta ?? {}
    const headers = headersOf(revision, 'tools/call', params)
    const response = await send(messageText(script, argsText, meta), { revision, headers })
    return response.text()
  }

  it.each([
    ['9007199254740993', '9007199254740993'],
    ['-9223372036854775808', 'math.mininteger'],
    ['9223372036854775807', 'math.maxinteger'],
  ])('hold %s exactly', async (integer, expected) => {
    const script = `return {args.n == ${expected}, math.type(args.n), tostring(args.n)}`
    const answer = await sendText(script, `{"n": ${integer}}`)
    expect(answer).toContain(`"result":[true,"integer","${integer}"]`)
  })

  it('are a large integer alone', async () => {
    expect(await sendText('return args == 9007199254740993', '9007199254740993')).toContain(
      '"result":true',
    )
  })

  it('and results have the keys that were written', async () => {
    const alive = JSON.parse('{"b":1,"\\\\":2}') as object
    const script = 'return {args["\\n"], args["\\\\"] == nil, {b = 1, ["\\n"] = 2}}'
    const answer = await sendText(script, '{"b":1,"\\n":2}')
    expect(alive).toEqual({ b: 1, '\\': 2 })
    expect(answer).toContain('"result":[2,true,{"\\n":2,"b":1}]')
  })
})

describe('args of a batch', () => {
  it('are exact in each of its messages', async () => {
    const { send } = await makeMcp()
    const first = messageText('return args == 9007199254740993', '9007199254740993', {})
    const second = messageText(
      'return args[3] == 9007199254740995 and args[1]',
      '["]}", "{", 9007199254740995]',
      {},
    )
    const batch = `[${first}, ${second.replace('"id":1', '"id":2')}]`
    const headers = { 'MCP-Protocol-Version': '2025-03-26' }
    const response = await send(batch, { revision: '2025-06-18', headers })
    const answer = await response.text()
    expect(answer).toContain('"result":true')
    expect(answer).toContain('"result":"]}"')
  })
})

describe('args as a string', () => {
  it.each([
    ['an object', '{"n": 9007199254740993}', 'return args.n == 9007199254740993', true],
    ['a list', ' [1, 2]', 'return #args', 2],
    ['no JSON', '{n = 1}', 'return args', '{n = 1}'],
    ['a number', '12', 'return args', '12'],
    ['nested too deeply', '['.repeat(300) + ']'.repeat(300), 'return #args', 600],
  ])('of %s', async (_, args, script, result) => {
    const { call } = await makeMcp()
    const answer = await call<Answer>('execute_script', { script, args })
    expect(answer.structuredContent.result).toEqual(result)
  })
})

describe('a run', () => {
  it.each(REVISIONS)('in %s answers with result, logs and files, twice', async (revision) => {
    const { app, script } = await makeRuns()
    const text =
      'print("one", 2) io.write("x\\n") file.save("output/a.txt", "1") file.save("b.csv", "22") return {n = args.n + 1, list = {1, 2}}'
    const answer = await script(text, { args: { n: 41 } }, { revision })
    expect(answer.structuredContent).toEqual({
      result: { n: 42, list: [1, 2] },
      logs: ['one\t2', 'x'],
      files_touched: [row('b.csv', 2), row('output/a.txt', 1)],
    })
    expect(answer.isError).toBeUndefined()
    expect(JSON.parse(answer.content[0]!.text!)).toEqual(answer.structuredContent)
    const [csv, txt] = answer.structuredContent.files_touched as [Row, Row]
    expect(answer.content.slice(1)).toEqual([
      {
        type: 'resource_link',
        uri: csv.link,
        name: 'b.csv',
        mimeType: 'text/csv; charset=utf-8',
        size: 2,
      },
      {
        type: 'resource_link',
        uri: txt.link,
        name: 'output/a.txt',
        mimeType: 'text/plain; charset=utf-8',
        size: 1,
      },
    ])
    expect(await (await app.request(txt.link!)).text()).toBe('1')
  })

  it('is what HTTP answers, without the long addresses of the store', async () => {
    const { run, script } = await makeRuns()
    const text =
      'print("x") file.save("a", "1") file.save("b", "2") os.remove("b") return {math.pi, "é", json.null}'
    const { structuredContent } = await script(text)
    const { files_touched, ...answer } = await run(text)
    const isShort = ([field]: [string, unknown]) => !field.startsWith('url')
    const rows = files_touched.map((one) => Object.fromEntries(Object.entries(one).filter(isShort)))
    expect(structuredContent).toEqual({ ...answer, files_touched: rows })
  })

  it.each([
    ['nothing', undefined, 'return args == nil', true],
    ['null', null, 'return args == json.null', true],
    ['false', false, 'return args', false],
    ['a text', 'é"\\\u0007', 'return args', 'é"\\\u0007'],
    ['a list', [1, [2], {}], 'return args', [1, [2], {}]],
    ['an object', { a: { b: null } }, 'return args', { a: { b: null } }],
  ])('takes %s as args', async (_, args, text, result) => {
    const { script } = await makeRuns()
    expect((await script(text, { args })).structuredContent.result).toEqual(result)
  })

  it('keeps files for later calls', async () => {
    const { script } = await makeRuns()
    await script('file.save("state.json", json.encode{n = 1})')
    const { structuredContent } = await script(
      'return json.decode(io.open("state.json"):read("a"))',
    )
    expect(structuredContent.result).toEqual({ n: 1 })
  })

  it('gives links as long a life as was asked for', async () => {
    const { script } = await makeRuns()
    const { structuredContent } = await script('file.save("a", "")', { link_ttl_s: 60 })
    expect(structuredContent.files_touched[0]!.expires_at).toBe('2026-11-16T09:01:00Z')
  })

  it('tells of a removed file without a link', async () => {
    const { script } = await makeRuns()
    const { structuredContent, content } = await script('file.save("a", "") os.remove("a")')
    expect(structuredContent.files_touched).toEqual([{ name: 'a', op: 'remove', bytes: 0 }])
    expect(content).toHaveLength(1)
  })

  it('gives a caller who may not read no way to what was there before', async () => {
    const { script } = await makeRuns()
    await script('file.save("a", "secret")')
    const claims = { scope: 'execute files:write' }
    const text = 'io.open("a", "a"):write("x"):close() file.save("b", "own")'
    const { structuredContent, content } = await script(text, {}, { claims })
    expect(structuredContent.files_touched).toEqual([
      { name: 'a', op: 'append', bytes: 7 },
      row('b', 3),
    ])
    expect(content.map(({ name }) => name)).toEqual([undefined, 'b'])
  })

  it('is one event in the log, without its text', async () => {
    const { events, script, tenant } = await makeRuns()
    await script('return "not to be logged"')
    expect(events).toMatchObject([{ event: 'run', tenant, user: 'alice', outcome: 'ok' }])
    expect(JSON.stringify(events)).not.toContain('not to be logged')
  })
})

describe('a script that fails', () => {
  const WRITE = 'print("before") file.save("kept.txt", "1") '

  it.each([
    ['syntax', 'return return', {}, /^script:1: .*near 'return'$/],
    ['runtime', `${WRITE} error("boom")`, {}, /^script:1: boom$/],
    ['runtime', `${WRITE} error({code = 1})`, {}, /table value/],
    ['fuel', `${WRITE} while true do end`, { fuel: 1_000_000 }, /fuel/],
    ['memory', `${WRITE} return ("x"):rep(1e9)`, {}, /not enough memory/],
    ['timeout', `${WRITE} while true do end`, { timeout_ms: 500 }, /longer than 500 ms/],
    ['limit', `${WRITE} file.save("b", ("x"):rep(99))`, { write_bytes: 50 }, /write limit/],
    ['result', `${WRITE} local t = {} t[1] = t return t`, {}, /cycle|circular|itself/],
  ])('by %s: %s', async (kind, text, limits, message) => {
    const { script } = await makeRuns()
    const answer = await script(text, { limits })
    const { error, ...rest } = answer.structuredContent
    expect(error).toMatchObject({ kind, message: expect.stringMatching(message) })
    expect(rest).toEqual(
      kind === 'syntax'
        ? { result: null, logs: [], files_touched: [] }
        : { result: null, logs: ['before'], files_touched: [row('kept.txt', 1)] },
    )
    expect(answer.isError).toBe(true)

    const lines = answer.content[0]!.text!.split('\n')
    const json = lines.pop()!
    expect(lines.join('\n')).toBe(`Script execution error: ${error!.message}`)
    expect(JSON.parse(json)).toEqual(answer.structuredContent)
    const links = answer.content.slice(1).map(({ name }) => name)
    expect(links).toEqual(kind === 'syntax' ? [] : ['kept.txt'])
  })

  it.each(REVISIONS)(
    'in %s is a result of the tool, not a fault of the protocol',
    async (revision) => {
      const { ask } = await makeRuns()
      const params = { name: 'execute_script', arguments: { script: 'error("boom")' } }
      const { status, answer } = await ask('tools/call', params, { revision })
      expect(status).toBe(200)
      expect(answer.error).toBeUndefined()
      expect(answer.result).toMatchObject({ isError: true })
    },
  )

  it('by the store says which files it has not', async () => {
    const storage = failingStorage(await runtimeStorage(), ['put'])
    const { script, events, leaks } = await makeRuns({ storage })
    const answer = await script('file.save("a", "1") return 7')
    expect(answer.structuredContent).toEqual({
      result: 7,
      logs: [],
      files_touched: [{ name: 'a', op: 'write', bytes: 1, stored: false }],
      error: { kind: 'storage', message: expect.stringContaining('a') },
    })
    expect(answer.isError).toBe(true)
    expect(answer.content).toHaveLength(1)
    leaks.assertSilent('the answer', JSON.stringify(answer))
    expect(events.map(({ event }) => event)).toEqual(['fault', 'run'])
  })

  it('stores nothing with commit "on_success", and says so', async () => {
    const { script, textsUnder } = await makeRuns()
    const answer = await script(`${WRITE} error("boom")`, { commit: 'on_success' })
    expect(answer.structuredContent).toMatchObject({
      logs: ['before'],
      files_touched: [{ name: 'kept.txt', op: 'write', bytes: 1, stored: false }],
    })
    expect(answer.content).toHaveLength(1)
    expect(await textsUnder()).toEqual({})
  })
})

describe('a call that cannot be a run', () => {
  it.each([
    [{}, 'script: must be a string: the Lua source'],
    [{ script: 1 }, 'script: must be a string: the Lua source'],
    [{ script: null }, 'script: must be a string: the Lua source'],
    [{ script: '', sripct: '' }, 'Unrecognized key: "sripct"'],
    [{ script: '', commit: 'never' }, 'commit: must be "on_close" or "on_success"'],
    [{ script: '', link_ttl_s: 59 }, 'link_ttl_s: must be at least 60'],
    [{ script: '', link_ttl_s: 604_801 }, 'link_ttl_s: must be at most 604800'],
    [{ script: '', link_ttl_s: 1.5e2 + 0.5 }, 'link_ttl_s: must be a whole number of seconds'],
    [{ script: '', limits: { fuel: 0 } }, 'limits.fuel: must be at least 1'],
    [{ script: '', limits: { fuel: '1' } }, 'limits.fuel: must be a whole number'],
    [{ script: '', limits: { memory: 1 } }, 'limits: Unrecognized key: "memory"'],
    [{ script: '', limits: [] }, expect.stringMatching(/^limits: /)],
    [{ script: '', auth: {} }, 'Unrecognized key: "auth"'],
  ])('%j is refused with a sentence', async (input, sentence) => {
    const { call, events } = await makeRuns()
    const answer = await call('execute_script', input)
    expect(answer).toMatchObject({ isError: true, content: [{ type: 'text', text: sentence }] })
    expect(answer.content).toHaveLength(1)
    expect(events).toEqual([])
  })

  it('is refused when the script is longer than a script may be', async () => {
    const { script } = await makeRuns()
    const answer = await script(' '.repeat(1_048_577))
    const text = 'The script is larger than 1048576 bytes.'
    expect(answer).toMatchObject({ isError: true, content: [{ text }] })
  })

  it('is refused while the service is busy', async () => {
    const admission = new Admission(1, 40)
    const { script } = await makeRuns({ admission })
    const gate = makeGate()
    const other = admission.admit({ maxBytes: 1, maxMs: 60_000 }, () => gate.opened)
    const answer = await script('return 1')
    const text = 'The service is busy. Try again in a few seconds.'
    expect(answer).toMatchObject({ isError: true, content: [{ text }] })
    gate.open()
    await other
  })
})

describe('the limits of a run', () => {
  it('may be lowered, never raised', async () => {
    const { script } = await makeRuns({ env: { FUEL: '1000000', IO_MAX_BYTES: '10' } })
    const limits = { fuel: 1e15, write_bytes: 1e15, memory_bytes: 1e15, timeout_ms: 1e9 }
    const spent = await script('while true do end', { limits })
    expect(spent.structuredContent.error!.kind).toBe('fuel')
    const full = await script('file.save("a", "01234567890")', { limits })
    expect(full.structuredContent.error!.kind).toBe('limit')
  })
})
