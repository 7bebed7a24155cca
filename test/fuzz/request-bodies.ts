/** Random requests to every JSON route; most are almost valid, so that they pass the schemas. */
import fc from 'fast-check'
import type * as z from 'zod'
import { executeRequest } from '../../src/operations/run/execute.ts'
import { FILE_OPERATIONS, PLAIN_OPERATIONS } from '../support/operations.ts'

/** A request before it has a token. */
export interface FuzzedRequest {
  readonly route: string
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

const oneOf = fc.constantFrom<unknown[]>
/** Mostly the first, now and then another. */
const mostly = <T>(often: fc.Arbitrary<T>, ...seldom: fc.Arbitrary<T>[]) =>
  fc.oneof({ weight: 12, arbitrary: often }, ...seldom)

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  oneOf(-1, 0, 1e21, 1.5, 2 ** 53, null, '', '\ud800'),
)
const path = mostly<unknown>(
  oneOf('a', 'a', 'd/x', 'd', 'share/s', 'e/f/g', '.', 'new'),
  oneOf('', '..', '/etc/passwd', 'a\0', 'a/', 'a/b/c', 'x'.repeat(600), 'SHARE/s'),
  fc.string({ unit: 'binary', maxLength: 10 }),
)
/** Lines of patches, some of which fit together. */
const PATCH_LINES = `--- a/a
+++ b/a
--- a/d/x
+++ b/d/x
--- /dev/null
+++ b/new
-one
+two
@@ -1 +1 @@
@@ -0,0 +1,2 @@
@@ -1,3 +1,9 @@
 one

\\ No newline at end of file`.split('\n')
const patch = fc.oneof(
  oneOf(
    '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n',
    '--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+one\n',
    '--- a/d/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n',
  ),
  fc.array(fc.constantFrom(...PATCH_LINES), { maxLength: 8 }).map((lines) => lines.join('\n')),
)

/** What each field is meant to hold. */
const FIELDS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  path,
  content: fc.oneof(oneOf('one\n', 'one', 'b25l', '6f6e65', ''), fc.string({ maxLength: 20 })),
  encoding: oneOf('utf-8', 'base64', 'hex', 'latin1', 'utf-16le', 'ucs'),
  offset: fc.integer({ min: -1, max: 9 }),
  length: fc.integer({ min: -1, max: 30 }),
  limit: fc.integer({ min: 0, max: 2000 }),
  cursor: fc.oneof(oneOf('a', 'd/x'), fc.string({ maxLength: 20 })),
  old: oneOf('one', 'o', '', 'x'),
  new: oneOf('two', ''),
  pattern: fc.oneof(oneOf('*', '**/*', '[a', '{a,b}', '?', '**'), fc.string({ maxLength: 8 })),
  patch,
  script: oneOf(
    'return 1',
    'return args',
    'error({})',
    'x(',
    'file.save("d/x", "one\\n")',
    'print(1)',
  ),
  args: odd,
  limits: fc.dictionary(
    oneOf('fuel', 'memory_bytes', 'timeout_ms', 'write_bytes') as fc.Arbitrary<string>,
    oneOf(1, 1000, 1e6, 0),
  ),
  commit: oneOf('on_close', 'on_success'),
  link_ttl_s: fc.integer({ min: 50, max: 604_900 }),
  ttl_s: fc.integer({ min: 50, max: 604_900 }),
  bytes: fc.integer({ min: -1, max: 1e9 }),
  max_bytes: fc.integer({ min: -1, max: 1e9 }),
  content_type: oneOf('text/plain', 'x', '\n'),
  title: fc.string({ unit: 'binary', maxLength: 20 }),
  format: oneOf('markdown', 'html', 'pdf'),
}

/** Fields as the schema has them; one of no kind above is a flag. */
function inputFor(schema: z.ZodType): fc.Arbitrary<object> {
  const { shape = {} } = schema as { shape?: Record<string, z.ZodType> }
  const fields = Object.entries(shape).map(([name, field]) => {
    const good = mostly(FIELDS[name] ?? fc.boolean(), odd)
    const left = fc.constant(undefined)
    const isOptional = field.safeParse(undefined).success
    return [name, isOptional ? fc.oneof(good, left) : mostly<unknown>(good, left)] as const
  })
  const plain = fc.record(Object.fromEntries(fields))
  return mostly<object>(
    plain,
    fc.tuple(plain, odd).map(([one, extra]) => ({ ...one, extra })),
  )
}

const inputs = new Map<string, fc.Arbitrary<object>>([['execute', inputFor(executeRequest())]])
const tools = new Map<string, fc.Arbitrary<object>>([
  ['execute_script', inputFor(executeRequest())],
])
for (const operation of FILE_OPERATIONS)
  inputs.set(`fs/${operation.name}`, inputFor(operation.input()))
for (const operation of PLAIN_OPERATIONS) inputs.set(operation.name, inputFor(operation.input()))
for (const operation of [...FILE_OPERATIONS, ...PLAIN_OPERATIONS]) {
  tools.set(operation.tool, inputFor(operation.input()))
}

const toolCall = fc.constantFrom(...tools.keys()).chain((name) =>
  fc.record({
    name: mostly<unknown>(fc.constant(name), odd),
    arguments: mostly<unknown>(tools.get(name)!, odd),
  }),
)
const method = mostly<unknown>(
  fc.constant('tools/call'),
  oneOf('tools/list', 'initialize', 'ping', 'resources/list', 'server/discover', 'notifications/x'),
  odd,
)
const message = fc.record({
  jsonrpc: mostly<unknown>(fc.constant('2.0'), odd),
  id: mostly<unknown>(fc.integer({ min: 1, max: 5 }), odd),
  method,
  params: mostly<unknown>(toolCall, fc.record({ uri: path, _meta: odd }), odd),
})
inputs.set('mcp', mostly<object>(message, fc.array(message, { maxLength: 3 })))

const BROKEN = [
  '['.repeat(5_000),
  '{"a":'.repeat(300),
  '1e999',
  '',
  '\ufeff{}',
  '{"path":"a","path":1}',
  '{"__proto__":{"path":"a"},"path":"a"}',
  '{"script":"return 1","args":1e999}',
]

function bodyFor(route: string): fc.Arbitrary<FuzzedRequest['body']> {
  const written = inputs.get(route)!.map((one) => JSON.stringify(one))
  return mostly<FuzzedRequest['body']>(
    written,
    fc.json(),
    fc.constantFrom(...BROKEN),
    fc.tuple(written, fc.nat(60)).map(([whole, end]) => whole.slice(0, end)),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => Uint8Array.from(bytes)),
  )
}

const text = (...values: string[]) => fc.constantFrom(...values)
const headers = fc.record({
  'Content-Type': mostly(text('application/json'), text('text/plain', 'x')),
  Accept: mostly(
    text('application/json, text/event-stream'),
    text('application/json', 'text/event-stream', 'text/html', '*/*', 'x'),
  ),
  'MCP-Protocol-Version': mostly(text('2025-06-18', '2025-11-25'), text('2026-07-28', 'x')),
})

export const fuzzedRequest: fc.Arbitrary<FuzzedRequest> = fc
  .constantFrom(...inputs.keys(), 'mcp', 'mcp')
  .chain((route) => fc.record({ route: fc.constant(route), body: bodyFor(route), headers }))
