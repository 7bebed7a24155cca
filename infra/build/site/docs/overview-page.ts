/** `/docs`: an introduction, a first run, and links to all other pages. */
import { API_OPERATIONS } from '../api/operations.ts'
import { exampleCode } from '../api/examples.ts'
import { EXAMPLE_SCRIPT } from '../../../../src/lua-reference/model-summary.ts'
import type { RecordedAnswers } from '../api/record-answers.ts'
import { SECTIONS, type DocsPage } from './frame.ts'
import { answerBlock, codeBlock, heading, inline, languageTabs, table, shownJson } from './html.ts'

const PARAGRAPHS = [
  'One HTTP request or MCP tool call runs a Lua 5.4 script in a fresh WebAssembly VM. The script reads and writes files with the standard `io` library, and the files live in your S3-compatible bucket, under the caller’s own prefix. The response contains the result, the logs and every file the script touched, each with a link that opens in a browser.',
  'It is built for AI agents and the people who write them. An agent can pull a large data set into files without passing it through a model, and one step can hand files to the next.',
]

const ELSEWHERE = [
  ['/', 'Workbench', 'Write and run scripts in the browser.'],
  ['/openapi.json', 'OpenAPI', 'The HTTP API for machines.'],
  ['/llms.txt', 'llms.txt', 'These pages for models; each is Markdown at its address with .md.'],
] as const

const HOW_TO_GET_A_TOKEN = '<a href="/docs/auth#get-a-token">How to get one</a>.'

/** Those of the example request. */
const EXAMPLE_ARGS = { count: 3 }

const PATHS = [
  ['`share/…`', 'everyone in the tenant'],
  ['any other path', 'the user'],
  ['`output/…`', 'the user; by convention, what a person should open'],
]

export function overviewPage(answers: RecordedAnswers): DocsPage {
  const execute = API_OPERATIONS.find(({ id }) => id === 'execute_script')!
  return {
    path: '/docs',
    title: 'Moonbucket',
    description: 'Run Lua at the edge, keep the files in your own bucket.',
    main: `<h1>Run Lua at the edge, keep the files in your own bucket</h1>
${PARAGRAPHS.map((text) => `<p>${inline(text)}</p>`).join('\n')}
${heading(2, 'Run a script')}
<p>${inline('Every request carries a bearer token: a JWT or an API key.')} ${HOW_TO_GET_A_TOKEN} ${inline('Put yours into `TOKEN`:')}</p>
${codeBlock("export TOKEN='…'", 'sh', 'Setting the token')}
<p>This script writes a file, prints a line and returns a table:</p>
${codeBlock(EXAMPLE_SCRIPT, 'lua', 'The script', EXAMPLE_ARGS)}
<p>Send it, with its arguments:</p>
${languageTabs(exampleCode(execute), 'Running a script')}
<p>${inline('The response contains what the script returned and printed, and the file it wrote. Open `link` in a browser. It needs no bearer token and expires after a day, unless the request sets another lifetime.')}</p>
${answerBlock(shownJson(answers.get(execute.id)!.text), 'json', 'The response')}
${heading(2, 'Whose files')}
<p>${inline('Only the claims of the token decide who is calling: `tenant`, `sub` for the user, and the scopes `execute`, `files:read` and `files:write`. Paths are relative and stay below the caller’s root.')}</p>
${table(
  'Paths and whose files they name',
  ['Path', 'Files of'],
  PATHS.map((row) => row.map(inline)),
)}
${ALL_PAGES.map(([group, sections]) => cards(group, sections)).join('\n')}`,
  }
}

const ALL_PAGES = [
  ...SECTIONS.map(([group, sections]) => {
    return [group, sections.filter(([path]) => path !== '/docs')] as const
  }),
  ['Elsewhere', ELSEWHERE] as const,
]

function cards(group: string, sections: readonly (readonly [string, string, string])[]): string {
  const items = sections.map(
    ([href, title, text]) => `<li><a href="${href}">${title}</a><p>${inline(text)}</p></li>`,
  )
  return `${heading(2, group)}
<ul class="cards">
${items.join('\n')}
</ul>`
}
