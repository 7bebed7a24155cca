/** Client snippets with this script and the page's URL. The token is always a placeholder. */
import { mcpHosts } from '../../mcp-hosts.ts'

export interface SnippetInput {
  readonly origin: string
  readonly script: string
  /** JSON, or empty. */
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
    ...mcpHosts(input.origin).map(({ name, place, code }) => ({
      title: name,
      about: `Gives the tools to a model; goes into ${place}.`,
      text: code,
    })),
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

/** Arguments are sent as written. */
function bodyJson(script: string, args: string): string {
  const given = args.trim() === '' ? '' : `, "args": ${args.trim()}`
  return `{"script": ${JSON.stringify(script)}${given}}`
}
