/** Example requests for every operation, as one session: later ones use files of earlier ones. */
import type { ExampleRequest } from './api-operation.ts'

/** The script of the first example. */
export const SCRIPT = `local out <close> = assert(io.open("output/squares.csv", "w"))
local sum = 0
for i = 1, args.count do
  out:write(i, ",", i * i, "\\n")
  sum = sum + i * i
end
print("done")
return {rows = args.count, sum = sum}`

const PATCH = `--- a/notes/today.txt
+++ b/notes/today.txt
@@ -1,2 +1,3 @@
 Buy oat milk
 Call Ada
+Write the report
`

/** By operation id. */
export const EXAMPLES: Readonly<Record<string, ExampleRequest>> = {
  execute_script: { body: { script: SCRIPT, args: { count: 3 } } },
  execute_script_events: { body: { script: SCRIPT, args: { count: 3 } } },
  file_write: { body: { path: 'notes/today.txt', content: 'Buy milk\nCall Ada\n' } },
  file_read: { body: { path: 'notes/today.txt', length: 8 } },
  folder_list: { body: { path: 'output' } },
  folder_create: { body: { path: 'archive/2026' } },
  file_exists: { body: { path: 'notes/today.txt' } },
  file_info: { body: { path: 'notes/today.txt' } },
  file_edit: { body: { path: 'notes/today.txt', old: 'Buy milk', new: 'Buy oat milk' } },
  file_find: { body: { pattern: '**/*.csv' } },
  apply_patch: { body: { patch: PATCH } },
  file_delete: { body: { path: 'archive', recursive: true } },
  put_content: { query: { path: 'data/greeting.bin' }, body: 'Hello, bytes' },
  get_content: { query: { path: 'data/greeting.bin' }, headers: { Range: 'bytes=0-4' } },
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
  health: {},
  ready: {},
  openapi: {},
}
