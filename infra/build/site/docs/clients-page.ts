/** `/docs/clients`: how programs and MCP hosts reach the service. */
import { PLACEHOLDER_ORIGIN } from '../../../../src/site/placeholder-origin.ts'
import type { DocsPage } from './frame.ts'
import { anchorOf, codeBlock, heading, inline } from './html.ts'
import { mcpHosts, type McpHost } from '../../../../src/site/mcp-hosts.ts'

const HOSTS = mcpHosts(PLACEHOLDER_ORIGIN)

const TITLES = [
  'curl',
  'TypeScript',
  'Python',
  'Generated clients',
  'MCP',
  ...HOSTS.map(({ name }) => name),
]

export function clientsPage(): DocsPage {
  return {
    path: '/docs/clients',
    title: 'Clients',
    description: 'Call the service from programs, and add it to MCP hosts.',
    contents: [
      {
        title: 'On this page',
        links: TITLES.map((text) => ({ href: `/docs/clients#${anchorOf(text)}`, text })),
      },
    ],
    main: `<h1>Clients</h1>
<p>${inline('Everything is plain HTTP with a bearer token. The examples read it from the environment variable `TOKEN` or `MOONBUCKET_TOKEN`.')}</p>
${heading(2, 'curl')}
${codeBlock(CURL, 'sh', 'Running a script with curl')}
${heading(2, 'TypeScript')}
<p>${inline('With `fetch`, in Node, Deno, Bun, Workers or a browser whose origin is in `ALLOWED_ORIGINS`.')}</p>
${codeBlock(TYPESCRIPT, 'ts', 'Running a script with fetch')}
${heading(2, 'Python')}
<p>With the standard library only.</p>
${codeBlock(PYTHON, 'py', 'Running a script from Python')}
${heading(2, 'Generated clients')}
<p>${inline(`Give \`${PLACEHOLDER_ORIGIN}/openapi.json\` to any generator that reads OpenAPI 3.1.`)}</p>
${heading(2, 'MCP')}
<p>${inline(`The address is \`${PLACEHOLDER_ORIGIN}/mcp\`: streamable HTTP without sessions. Hosts that log in with OAuth discover the issuer; for the others, set a token as shown.`)}</p>
${HOSTS.map(hostSection).join('\n')}`,
  }
}

function hostSection({ name, text, place, code, language }: McpHost): string {
  return `${heading(3, name)}
<p>${inline(text)}</p>
${codeBlock(code, language, `${name}: ${place}`)}`
}

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
