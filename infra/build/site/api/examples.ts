/** Example requests for every operation, as one session: later ones use files of earlier ones. */
import type { ExampleRequest, ApiOperation } from './operations.ts'
import { codeVariants, type CodeVariant } from './request-code.ts'
import { EXAMPLE_SCRIPT } from '../../../../src/lua-reference/model-summary.ts'
import { PLACEHOLDER_ORIGIN } from '../../../../src/site/placeholder-origin.ts'

const PATCH = `--- a/notes/today.txt
+++ b/notes/today.txt
@@ -1,2 +1,3 @@
 Buy oat milk
 Call Ada
+Write the report
`

const SAVED_SCRIPT = `--- Writes square numbers.
---@param count integer how many
---@return table<string, integer> # how many, and their sum

${EXAMPLE_SCRIPT}
`

/** By operation id. */
export const EXAMPLE_REQUESTS: Readonly<Record<string, ExampleRequest>> = {
  execute_script: { body: { script: EXAMPLE_SCRIPT, args: { count: 3 } } },
  execute_script_events: {
    headers: { 'Idempotency-Key': 'squares-2026-11' },
    body: { script: EXAMPLE_SCRIPT, args: { count: 3 } },
  },
  list_runs: { query: { limit: '1' } },
  get_run: { query: { wait: '10' }, idFrom: 'list_runs' },
  watch_run: { idFrom: 'list_runs' },
  cancel_run: { idFrom: 'list_runs' },
  start_run: { body: { script: EXAMPLE_SCRIPT, args: { count: 3 } } },
  file_write: {
    body: { path: 'notes/today.txt', content: 'Buy milk\nCall Ada\n' },
    lua: 'return file.save("notes/today.txt", "Buy milk\\nCall Ada\\n")',
  },
  file_read: {
    body: { path: 'notes/today.txt', length: 8 },
    lua: 'local file <close> = assert(io.open("notes/today.txt"))\nreturn file:read(8)',
  },
  document_read: {
    body: { path: 'notes/today.txt' },
    lua: 'return document.text("notes/today.txt")',
  },
  file_append: {
    body: { path: 'notes/log.txt', content: 'Called Ada\n' },
    lua: 'local file <close> = assert(io.open("notes/log.txt", "a"))\nfile:write("Called Ada\\n")',
  },
  file_copy: { body: { from: 'notes/today.txt', to: 'archive/2026/today.txt' } },
  file_move: {
    body: { from: 'notes/log.txt', to: 'archive/2026/log.txt' },
    lua: 'return os.rename("notes/log.txt", "archive/2026/log.txt")',
  },
  file_search: { body: { pattern: 'Call(ed)? Ada', glob: '**/*.txt', context: 1 } },
  folder_list: { body: { path: 'output' }, lua: 'return io.list("output")' },
  folder_create: { body: { path: 'archive/2026' } },
  file_exists: {
    body: { path: 'notes/today.txt' },
    lua: 'local file <close> = io.open("notes/today.txt")\nreturn file ~= nil',
  },
  file_info: { body: { path: 'notes/today.txt' } },
  file_edit: { body: { path: 'notes/today.txt', old: 'Buy milk', new: 'Buy oat milk' } },
  file_find: { body: { pattern: '**/*.csv' } },
  apply_patch: { body: { patch: PATCH } },
  file_delete: { body: { path: 'archive', recursive: true } },
  put_content: { query: { path: 'scripts/squares.lua' }, body: SAVED_SCRIPT },
  get_content: { query: { path: 'scripts/squares.lua' }, headers: { Range: 'bytes=0-27' } },
  list_saved_scripts: {},
  run_saved_script: { name: 'squares', body: { args: { count: 3 } } },
  get_file_link: { body: { path: 'output/squares.csv', ttl_s: 3600 } },
  open_link: { query: { path: 'output/squares.csv' }, linkFrom: 'get_file_link' },
  get_upload_link: { body: { path: 'inbox/orders.csv', max_bytes: 1_000_000 } },
  send_upload: {
    query: { path: 'inbox/orders.csv' },
    body: 'id,total\n1,9.50\n',
    linkFrom: 'get_upload_link',
  },
  save_result_page: {
    body: { title: 'Squares', content: 'The sum of the first three squares is **14**.' },
  },
  revoke_links: { body: { path: 'inbox/orders.csv' } },
  get_usage: {},
  create_key: {
    body: { name: 'Nightly import', user: 'importer', paths: ['inbox'], ttl_s: 2_592_000 },
  },
  list_keys: {},
  revoke_key: { idFrom: 'list_keys' },
  health: {},
  ready: {},
  openapi: {},
}

interface Credentials {
  readonly origin: string
  readonly token: string
  /** For operations that open a link. */
  readonly linkToken?: string | undefined
  /** For operations on a run or a key. */
  readonly id?: string | undefined
}

export function exampleRequest(operation: ApiOperation, credentials: Credentials): Request {
  const { method, scopes, body, example } = operation
  const path = pathOf(operation, credentials.id ?? '')
  const url = new URL(path, credentials.origin)
  for (const [name, value] of Object.entries(example.query ?? {})) url.searchParams.set(name, value)
  if (example.linkFrom) url.searchParams.set('token', credentials.linkToken ?? '')
  const headers = new Headers(example.headers)
  if (scopes) headers.set('Authorization', `Bearer ${credentials.token}`)
  if (body && body !== 'bytes') headers.set('Content-Type', 'application/json')
  return new Request(url, {
    method: method.toUpperCase(),
    headers,
    ...(body && { body: body === 'bytes' ? String(example.body) : JSON.stringify(example.body) }),
  })
}

function pathOf({ path, example }: ApiOperation, id: string): string {
  return path.replace('{id}', id).replace('{name}', example.name ?? '')
}

/** The link token in a response. */
export function linkTokenIn(answer: unknown): string | undefined {
  const { link, url } = answer as { readonly link?: string; readonly url?: string }
  return new URL(link ?? url ?? PLACEHOLDER_ORIGIN).searchParams.get('token') ?? undefined
}

/** The newest run or key of a response that lists them. */
export function idIn(answer: unknown): string | undefined {
  type Rows = readonly { readonly id: string }[]
  const { runs, keys } = answer as { readonly runs?: Rows; readonly keys?: Rows }
  return (runs ?? keys)?.[0]?.id
}

/** In every language, with tokens in `TOKEN` and `LINK_TOKEN`, and ids in `RUN_ID` and `KEY_ID`. */
export function exampleCode(operation: ApiOperation): CodeVariant[] {
  const { method, scopes, body, example } = operation
  const query = Object.entries(example.query ?? {}).map(([name, value]) => `${name}=${value}`)
  if (example.linkFrom) query.push('token=$LINK_TOKEN')
  const isJson = body !== undefined && body !== 'bytes'
  const id = operation.group === 'Keys' ? '$KEY_ID' : '$RUN_ID'
  const variants = codeVariants({
    method: method.toUpperCase(),
    address: pathOf(operation, id) + (query.length ? `?${query.join('&')}` : ''),
    headers: [
      ...(scopes ? [['Authorization', 'Bearer $TOKEN'] as const] : []),
      ...Object.entries(example.headers ?? {}),
      ...(isJson ? [['Content-Type', 'application/json'] as const] : []),
    ],
    ...(isJson && { body: { json: example.body } }),
    ...(body === 'bytes' && { body: { text: String(example.body) } }),
  })
  const { lua } = example
  return lua === undefined ? variants : [...variants, { name: 'Lua', language: 'lua', code: lua }]
}
