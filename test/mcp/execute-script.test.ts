/** `execute_script`: a run as a model sees it. */
import { describe, expect, it } from 'vitest'
import { busyAdmission } from '../support/busy-admission.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { runtimeStorage, type Answer, type Row } from '../support/make-app.ts'
import { headersOf, makeMcp, makeRuns, requestOf, REVISIONS } from './make-mcp.ts'

const KEPT = 'print("before") file.save("kept.txt", "1")'

const row = (name: string, bytes: number) => ({
  name,
  op: 'write',
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

it('args of a batch are exact in each of its messages', async () => {
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

it.each([
  ['an object', '{"n": 9007199254740993}', 'return args.n == 9007199254740993', true],
  ['a list', ' [1, 2]', 'return #args', 2],
  ['no JSON', '{n = 1}', 'return args', '{n = 1}'],
  ['a number', '12', 'return args', '12'],
  ['nested too deeply', '['.repeat(300) + ']'.repeat(300), 'return #args', 600],
])('args as a string of %s', async (_, args, script, result) => {
  const { call } = await makeMcp()
  const answer = await call<Answer>('execute_script', { script, args })
  expect(answer.structuredContent.result).toEqual(result)
})

it.each(REVISIONS)('a run in %s answers with result, logs and files, twice', async (revision) => {
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

/** Runs with all that there is to tell, and those that fail. */
const INPUTS: readonly (readonly [kind: string | undefined, input: Record<string, unknown>])[] = [
  [undefined, { script: 'print("x") return {math.pi, "é", json.null, args}', args: { a: [null] } }],
  [undefined, { script: 'return args == nil' }],
  [undefined, { script: 'return args == json.null', args: null }],
  [undefined, { script: 'return args', args: false }],
  [undefined, { script: 'return args', args: 'é"\\\u0007' }],
  [undefined, { script: 'file.save("a", "") os.remove("a")' }],
  [undefined, { script: 'file.save("b", "")', link_ttl_s: 60 }],
  ['syntax', { script: 'return return' }],
  ['runtime', { script: `${KEPT} error("boom")` }],
  ['runtime', { script: `${KEPT} error({code = 1})` }],
  ['runtime', { script: `${KEPT} error("boom")`, commit: 'on_success' }],
  ['fuel', { script: `${KEPT} while true do end`, limits: { fuel: 1_000_000 } }],
  ['memory', { script: `${KEPT} return ("x"):rep(1e9)` }],
  ['timeout', { script: `${KEPT} while true do end`, limits: { timeout_ms: 500 } }],
  ['limit', { script: `${KEPT} file.save("b", ("x"):rep(99))`, limits: { write_bytes: 50 } }],
  ['result', { script: `${KEPT} local t = {} t[1] = t return t` }],
]

it.each(INPUTS)(
  'a run (%s) is what HTTP answers, without long addresses: %j',
  async (kind, input) => {
    const { post, call } = await makeRuns()
    const answer = await call<Answer>('execute_script', input)
    const { structuredContent, content, isError = false } = answer
    const { files_touched, ...told } = (await (await post(input)).json()) as Answer
    const isShort = ([field]: [string, unknown]) => !field.startsWith('url')
    const rows = files_touched.map((one) => Object.fromEntries(Object.entries(one).filter(isShort)))
    expect(structuredContent).toEqual({ ...told, files_touched: rows })
    expect([structuredContent.error?.kind, isError]).toEqual([kind, kind !== undefined])

    const lines = content[0]!.text!.split('\n')
    expect(JSON.parse(lines.pop()!)).toEqual(structuredContent)
    const reason = `Script execution error: ${structuredContent.error?.message}`
    expect(lines.join('\n')).toBe(kind === undefined ? '' : reason)
    const linked = files_touched.filter(({ link }) => link).map(({ name }) => name)
    expect(content.slice(1).map(({ name }) => name)).toEqual(linked)
  },
)

it('a script that fails by the store says which files it has not', async () => {
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
  expect(events.map(({ event }) => event)).toEqual(['fault', 'change', 'run'])
})

describe('a call that cannot be a run', () => {
  it.each([
    [{}, 'script: must be a string: the Lua source'],
    [{ script: '', sripct: '' }, 'Unrecognized key: "sripct"'],
    [{ script: '', link_ttl_s: 59 }, 'link_ttl_s: must be at least 60'],
    [{ script: '', limits: { fuel: '1' } }, 'limits.fuel: must be a whole number'],
    [{ script: '', auth: {} }, 'Unrecognized key: "auth"'],
    [{ script: ' '.repeat(1_048_577) }, 'The script is larger than 1048576 bytes.'],
  ])('is refused with a sentence: %#', async (input, text) => {
    const { call, events } = await makeRuns()
    const answer = await call('execute_script', input)
    expect(answer).toMatchObject({ isError: true, content: [{ type: 'text', text }] })
    expect(answer.content).toHaveLength(1)
    expect(events).toEqual([])
  })

  it('is refused while the service is busy', async () => {
    const { admission, free } = busyAdmission()
    const { script } = await makeRuns({ admission })
    const text = 'The service is busy. Try again in a few seconds.'
    expect(await script('return 1')).toMatchObject({ isError: true, content: [{ text }] })
    await free()
  })
})
