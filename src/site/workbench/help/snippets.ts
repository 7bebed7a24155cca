/** This very script for other clients, filled with the page's own address. The token is always a placeholder. */

export interface SnippetInput {
  readonly origin: string
  readonly script: string
  /** JSON text, or empty. */
  readonly args: string
}

export interface Snippet {
  readonly title: string
  readonly about: string
  readonly text: string
}

export function snippets(input: SnippetInput): Snippet[] {
  return [
    { title: 'curl', about: 'Runs the script from a terminal.', text: curl(input) },
    {
      title: 'TypeScript',
      about: 'Runs the script from Node, Deno, Bun or a Worker.',
      text: typescript(input),
    },
    {
      title: 'Python',
      about: 'Runs the script with nothing but the standard library.',
      text: python(input),
    },
    {
      title: 'Claude Code',
      about: 'Gives the tools to a model: run this once in a terminal.',
      text: claudeCode(input),
    },
    {
      title: 'VS Code',
      about: 'Gives the tools to a model: into .vscode/mcp.json.',
      text: mcpJson('servers', input),
    },
    {
      title: 'Cursor',
      about: 'Gives the tools to a model: into ~/.cursor/mcp.json.',
      text: mcpJson('mcpServers', input),
    },
  ]
}

const HEADER = 'Authorization: Bearer <token>'

function curl({ origin, script, args }: SnippetInput): string {
  const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  return [
    `curl -s ${origin}/execute`,
    `-H ${quote(HEADER)}`,
    `-H 'Content-Type: application/json'`,
    `-d ${quote(bodyJson(script, args))}`,
  ].join(' \\\n  ')
}

function typescript({ origin, script, args }: SnippetInput): string {
  const literal = script.replaceAll(/[\\`]|\$\{/g, (found) => `\\${found}`)
  const given = args.trim() === '' ? '' : `,\n    args: ${args.trim()}`
  return `const script = \`${literal}\`

const response = await fetch('${origin}/execute', {
  method: 'POST',
  headers: { Authorization: 'Bearer <token>', 'Content-Type': 'application/json' },
  body: JSON.stringify({
    script${given},
  }),
})
const { result, logs, files_touched, error } = await response.json()
console.log(error ?? result, logs, files_touched)
`
}

function python({ origin, script, args }: SnippetInput): string {
  const literal = script.replaceAll('\\', '\\\\').replaceAll('"""', String.raw`\"\"\"`)
  const body =
    args.trim() === ''
      ? '{"script": script}'
      : `{"script": script, "args": json.loads(${JSON.stringify(args.trim())})}`
  return `import json, urllib.request

script = """${literal.replace(/"$/, String.raw`\"`)}"""

request = urllib.request.Request(
    "${origin}/execute",
    data=json.dumps(${body}).encode(),
    headers={"Authorization": "Bearer <token>", "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    answer = json.load(response)
print(answer.get("error") or answer["result"], answer["logs"], answer["files_touched"])
`
}

function claudeCode({ origin }: SnippetInput): string {
  return `claude mcp add --transport http moonbucket ${origin}/mcp \\\n  --header "${HEADER}"`
}

function mcpJson(key: string, { origin }: SnippetInput): string {
  const headers = { Authorization: 'Bearer <token>' }
  const server = { type: 'http', url: `${origin}/mcp`, headers }
  return JSON.stringify({ [key]: { moonbucket: server } }, null, 2)
}

/** As the page sends it: arguments stay as they are written. */
function bodyJson(script: string, args: string): string {
  const given = args.trim() === '' ? '' : `, "args": ${args.trim()}`
  return `{"script": ${JSON.stringify(script)}${given}}`
}
