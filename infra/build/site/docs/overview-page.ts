/** `/docs`: what the service is, a first run, and where everything else is. */
import { API_OPERATIONS } from '../api/operations.ts'
import { SCRIPT } from '../api/examples.ts'
import { curlOf } from '../api/example-request.ts'
import type { RecordedAnswers } from '../api/record-answers.ts'
import type { DocsPage } from './frame.ts'
import { answerBlock, codeBlock, heading, inline, table } from './html.ts'
import { shownJson } from './shown-json.ts'

const PARAGRAPHS = [
  'One HTTP call, or one MCP tool call, runs a Lua 5.4 script in a fresh WebAssembly VM. The script uses the standard Lua `io` library; its files land in an S3-compatible bucket under the caller’s own prefix. The answer carries the result, the logs and every file the script touched, each with a link that opens.',
  'It is made for AI agents and the people who build them: pull a data set into files without passing it through a model, and hand files from one step to the next.',
]

const WHERE = [
  ['/docs/api', 'HTTP API', 'Every request with its fields, an example and its answer.'],
  [
    '/docs/lua',
    'Lua',
    'Every function a script can use, with an example, and what differs from stock Lua.',
  ],
  [
    '/docs/clients',
    'Clients and MCP',
    'curl, TypeScript, Python, and how to add the server to Claude, Cursor, VS Code and Codex.',
  ],
  ['/docs/errors', 'Errors', 'What can go wrong, and what to do about it.'],
  ['/docs/limits', 'Limits', 'What one run may use.'],
  ['/docs/settings', 'Settings', 'For those who run the service.'],
  ['/', 'Workbench', 'Write and run scripts in the browser.'],
  ['/openapi.json', 'OpenAPI', 'The HTTP API for machines.'],
] as const

const PATHS = [
  ['`share/…`', 'everybody’s of the tenant'],
  ['anything else', 'the user’s own'],
  ['`output/…`', 'by custom, what a person should open'],
]

export function overviewPage(answers: RecordedAnswers): DocsPage {
  const execute = API_OPERATIONS.find(({ id }) => id === 'execute_script')!
  return {
    path: '/docs',
    title: 'Moonbucket',
    description: 'Run Lua at the edge, keep the files in your own bucket.',
    main: `<h1>Run Lua at the edge, keep the files in your own bucket</h1>
${PARAGRAPHS.map((text) => `<p>${inline(text)}</p>`).join('\n')}
${heading(2, 'A first run')}
<p>${inline('Every request carries a bearer token, a JWT or an API key. Put yours into `TOKEN`:')}</p>
${codeBlock("export TOKEN='…'", 'sh', 'Setting the token')}
<p>This script writes a file, prints a line and returns a table:</p>
${codeBlock(SCRIPT, 'lua', 'The script')}
<p>Send it, with its arguments:</p>
${codeBlock(curlOf(execute), 'sh', 'Running a script with curl')}
<p>${inline('The answer has what the script returned and printed, and the file it wrote. Open `link` in a browser: it needs no token, and lives for a day unless the request says otherwise.')}</p>
${answerBlock(shownJson(answers.get(execute.id)!.text), 'json', 'The answer')}
${heading(2, 'Whose files')}
<p>${inline('The claims of the token alone decide who is calling: `tenant`, `sub` for the user, and the scopes `execute`, `files:read` and `files:write`. Paths are relative and stay below the caller’s own root.')}</p>
${table(
  'Paths and whose files they name',
  ['Path', 'Whose'],
  PATHS.map((row) => row.map(inline)),
)}
${heading(2, 'Where to go')}
<ul class="cards">
${WHERE.map(([href, title, text]) => `<li><a href="${href}">${title}</a><p>${inline(text)}</p></li>`).join('\n')}
</ul>`,
  }
}
