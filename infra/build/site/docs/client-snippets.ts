/** Client programs for the docs; complete except for URL and token. */
import { PLACEHOLDER_ORIGIN } from '../../../../src/site/placeholder-origin.ts'

export const CURL = `curl -s ${PLACEHOLDER_ORIGIN}/execute \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"script": "return args.a + args.b", "args": {"a": 1, "b": 2}}'`

export const TYPESCRIPT = `const response = await fetch('${PLACEHOLDER_ORIGIN}/execute', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.TOKEN}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({ script: 'return args.a + args.b', args: { a: 1, b: 2 } }),
})
if (!response.ok) throw new Error(await response.text())
const { result, logs, files_touched, error } = await response.json()
if (error) throw new Error(error.message)
console.log(result, logs, files_touched)`

export const PYTHON = `import json
import os
import urllib.request

run = {"script": "return args.a + args.b", "args": {"a": 1, "b": 2}}
request = urllib.request.Request(
    "${PLACEHOLDER_ORIGIN}/execute",
    data=json.dumps(run).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["TOKEN"],
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    answer = json.load(response)
if "error" in answer:
    raise RuntimeError(answer["error"]["message"])
print(answer["result"], answer["logs"], answer["files_touched"])`
