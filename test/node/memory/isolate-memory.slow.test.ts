/** Concurrent requests stay within the memory of one isolate, even if each uses all it may. */
import { resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { callerOf } from '../../support/caller.ts'
import type { Answer } from '../../support/make-app.ts'
import { catalogTexts, inQuery } from '../../support/make-catalog.ts'
import { startApi } from '../sdk/start-api.ts'
import { startWorker } from '../start-worker.ts'
import { watchIsolate } from './watch-isolate.ts'

const MB = 1_000_000
/** What the platform gives to an isolate; a local one is not stopped there. */
const ISOLATE_BYTES = 128 * MB

const MIB = 1024 * 1024
/** As large as a response may be on Workers. */
const RESPONSE = Buffer.from(JSON.stringify(['x'.repeat(4 * MIB - 4)]))

const api = await startApi()
api.answer(({ query }, response) => {
  response.setHeader('Content-Type', query.get('kind')!)
  response.end(RESPONSE)
})

const worker = await startWorker({
  entry: resolve(import.meta.dirname, 'measured-worker.ts'),
  isInspected: true,
  vars: {
    // This is about memory, also on a busy machine.
    TIMEOUT_MS: '110000',
    APIS_ALLOW_LOOPBACK: 'true',
    CATALOG: JSON.stringify(
      catalogTexts({ a: { baseUrl: api.origin, calls: { get: { params: [inQuery('kind')] } } } }),
    ),
  },
})
const caller = callerOf(() => worker.origin)
afterAll(() => Promise.all([worker.stop(), api.stop()]))

async function execute(script: string): Promise<'busy' | Answer> {
  const response = await caller.post('acme', '/execute', { script })
  const answer = (await response.json()) as Answer
  const isBusy = response.status === 503 && response.headers.has('Retry-After')
  return isBusy ? 'busy' : answer
}

/** Each request is done, or was refused because others are; and not all of them are. */
function expectDoneOrBusy(answers: readonly ('busy' | Answer)[]): void {
  const done = answers.filter((answer) => answer !== 'busy')
  expect(done.length).toBeGreaterThan(0)
  for (const answer of done) expect(answer.error ?? null).toBeNull()
}

/** A file of 45 MB, a result of 16 MB with one wide character, and a VM that is full. */
const largest = (n: number) => `
  local file = assert(io.open("file${n}", "w"))
  local line = ("x"):rep(9999) .. "\\n"
  for i = 1, 4500 do assert(file:write(line)) end
  file:close()
  local text, result = "€" .. ("y"):rep(1 << 20), {}
  for i = 1, 15 do result[i] = text end
  local full = {}
  pcall(function() while true do full[#full + 1] = ("z"):rep(100000) .. #full end end)
  full = nil
  return result`

it('of six runs that begin small and then take all they may', async () => {
  const watch = await watchIsolate(await worker.inspectorUrl())
  const runs = Array.from({ length: 6 }, (_, n) => execute(largest(n)))
  const answers = await Promise.all(runs)
  expect(await watch.end()).toBeLessThan(ISOLATE_BYTES)
  expectDoneOrBusy(answers)
}, 120_000)

it.each(['application/json', 'text/plain'])(
  'of six runs that take all that APIs may give at once, as %s',
  async (kind) => {
    const watch = await watchIsolate(await worker.inspectorUrl())
    const script = `
      local calls, found = {}, {}
      for i = 1, 4 do calls[i] = {sdk.a.get, {kind = "${kind}"}} end
      local answers, errors = sdk.parallel(calls)
      for i = 1, 4 do
        local answer = assert(answers[i], errors and errors[i] and errors[i].message)
        found[i] = #(type(answer) == "table" and answer[1] or answer)
      end
      return found`
    const answers = await Promise.all(Array.from({ length: 6 }, () => execute(script)))
    expect(await watch.end()).toBeLessThan(ISOLATE_BYTES)
    expectDoneOrBusy(answers)
  },
  120_000,
)

it('of runs that fill their VMs one after the other', async () => {
  const watch = await watchIsolate(await worker.inspectorUrl())
  const script = `
    local full = {}
    pcall(function() while true do full[#full + 1] = ("z"):rep(100000) .. #full end end)
    return #full`
  for (let i = 0; i < 8; i++) expectDoneOrBusy([await execute(script)])
  expect(await watch.end()).toBeLessThan(ISOLATE_BYTES)
}, 120_000)

const FILE_BYTES = 10 * 1024 * 1024
/** One wide character makes a whole string wide. */
const WIDE = '€' + ('x'.repeat(98) + '"').repeat(FILE_BYTES / 100)
const LATIN1 = ('x'.repeat(9) + 'é').repeat(FILE_BYTES / 10)
const LINES = 'a line of text\n'.repeat(FILE_BYTES / 15)
/** Its length in hex is the maximum of a body. */
const HALF = Buffer.alloc(0.75 * FILE_BYTES, 'half')

const callOf = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})
const resource = (path: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'resources/read',
  params: { uri: `moonbucket:///${path}` },
})
const patchOf = (path: string) =>
  `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a line of text\n+another € of text\n`

/** Content by encoding. The name of the file makes the text of the whole body wide. */
const CONTENTS = {
  'utf-8': WIDE,
  base64: Buffer.from(WIDE).toString('base64'),
  latin1: LATIN1,
  hex: HALF.toString('hex'),
  'utf-16le': WIDE.slice(0, FILE_BYTES / 2),
}
const encodings = Object.keys(CONTENTS) as (keyof typeof CONTENTS)[]
const writeOf = (path: string, encoding: keyof typeof CONTENTS) => ({
  path: `${path} €`,
  content: CONTENTS[encoding],
  encoding,
})

interface FileRequest {
  readonly title: string
  /** Content of the file that it is about. */
  readonly file?: string
  readonly request: (path: string) => readonly [route: string, body: object]
}

const REQUESTS: readonly FileRequest[] = [
  ...encodings.flatMap((encoding): FileRequest[] => [
    {
      title: `/fs/write of ${encoding}`,
      request: (path) => ['fs/write', writeOf(path, encoding)],
    },
    {
      title: `/fs/read as ${encoding}`,
      file: encoding === 'utf-8' ? WIDE : LINES,
      request: (path) => ['fs/read', { path, encoding }],
    },
  ]),
  {
    // The longest text of a body that there is.
    title: 'file_write of base64',
    request: (path) => ['mcp', callOf('file_write', writeOf(path, 'base64'))],
  },
  {
    title: 'file_read',
    file: '\u0007'.repeat(FILE_BYTES),
    request: (path) => ['mcp', callOf('file_read', { path, length: FILE_BYTES })],
  },
  { title: 'resources/read', file: WIDE, request: (path) => ['mcp', resource(path)] },
  {
    title: 'resources/read of control characters',
    file: '\u0007'.repeat(FILE_BYTES),
    request: (path) => ['mcp', resource(path)],
  },
  {
    title: '/fs/edit',
    file: WIDE,
    request: (path) => ['fs/edit', { path, old: '"', new: '_', all: true }],
  },
  {
    title: '/fs/edit with a long text',
    file: WIDE.slice(0, FILE_BYTES / 2),
    request: (path) => ['fs/edit', { path, old: '€', new: WIDE.slice(0, FILE_BYTES / 2 - 10) }],
  },
  {
    title: 'file_edit',
    file: WIDE,
    request: (path) => ['mcp', callOf('file_edit', { path, old: '€', new: 'ü' })],
  },
  {
    title: '/fs/patch',
    file: LINES,
    request: (path) => ['fs/patch', { patch: patchOf(path) }],
  },
  {
    title: 'apply_patch',
    file: LINES,
    request: (path) => ['mcp', callOf('apply_patch', { patch: patchOf(path) })],
  },
]

async function putFile(path: string, body: string): Promise<void> {
  const response = await caller.send('acme', `/fs/content?path=${path}`, { method: 'PUT', body })
  expect(response.status).toBe(200)
}

it.each(REQUESTS)(
  'of six at once with 10 MB each, which wait for each other: $title',
  async ({ file, request }) => {
    const paths = Array.from({ length: 6 }, (_, n) => `large/${n}`)
    if (file !== undefined) for (const path of paths) await putFile(path, file)
    const bodies = paths.map((path) => {
      const [route, body] = request(path)
      return [route, JSON.stringify(body)] as const
    })
    const watch = await watchIsolate(await worker.inspectorUrl())
    const answers = await Promise.all(
      bodies.map(async ([route, body]) => {
        const response = await caller.send('acme', `/${route}`, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
          },
          body,
        })
        const text = await response.text()
        const isDone = response.ok && !/"success":false|"isError":true|"error":\{/.test(text)
        return isDone ? 'done' : `${response.status} ${text.slice(0, 300)}`
      }),
    )
    const most = await watch.end()
    expect(answers).toEqual(Array(6).fill('done'))
    expect(most).toBeLessThan(ISOLATE_BYTES)
  },
  120_000,
)
