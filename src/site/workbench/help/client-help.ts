/** Snippets to run this script from other clients. */
import { copyButton, button, el, panel } from '../page/dom.ts'
import { mcpHosts } from '../../mcp-hosts.ts'

/** @param inputOf Called when a snippet is shown or copied. */
export function clientHelp(inputOf: () => SnippetInput) {
  let chosen = 0
  const current = () => snippets(inputOf())[chosen]!
  const about = el('p', { class: 'hint' })
  const code = el('pre', { class: 'snippet', tabindex: 0, 'aria-label': 'Snippet' })
  const tabs = snippets(inputOf()).map(({ title }, i) =>
    button(title, () => choose(i), {
      role: 'tab',
      id: `client-${i}`,
      'aria-controls': 'client-panel',
    }),
  )
  const shown = el(
    'div',
    { class: 'snippet-panel', id: 'client-panel', role: 'tabpanel' },
    el(
      'div',
      { class: 'snippet-head' },
      about,
      copyButton('Copy', () => current().text),
    ),
    code,
  )

  function choose(index: number): void {
    chosen = index
    tabs.forEach((tab, i) => {
      tab.setAttribute('aria-selected', String(i === index))
      tab.tabIndex = i === index ? 0 : -1
    })
    shown.setAttribute('aria-labelledby', `client-${index}`)
    refresh()
  }

  /** Call when the script or arguments changed. */
  function refresh(): void {
    const snippet = current()
    about.textContent = snippet.about
    code.textContent = snippet.text
  }

  const list = el('div', { role: 'tablist', 'aria-label': 'Clients', class: 'chips' }, ...tabs)
  list.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
    if (step === undefined) return
    choose((chosen + step + tabs.length) % tabs.length)
    tabs[chosen]!.focus()
  })
  choose(0)
  return {
    element: panel({ id: 'clients', title: 'Run it from your own code' }, list, shown),
    refresh,
  }
}

interface SnippetInput {
  readonly origin: string
  readonly script: string
  /** JSON, or empty. */
  readonly args: string
}

interface Snippet {
  readonly title: string
  readonly about: string
  readonly text: string
}

/** With this script and the page's URL. The token is always a placeholder. */
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
      about: `Gives the tools to a model; put it into ${place}.`,
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
