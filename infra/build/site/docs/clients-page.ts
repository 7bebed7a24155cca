/** `/docs/clients`: how programs and hosts of models reach the service. */
import { PLACEHOLDER_ORIGIN } from '../../../../src/site/placeholder-origin.ts'
import { CURL, PYTHON, TYPESCRIPT } from './client-snippets.ts'
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
    title: 'Clients and MCP',
    description: 'Calling the service from programs, and adding it to hosts of models.',
    contents: [
      {
        title: 'On this page',
        links: TITLES.map((text) => ({ href: `/docs/clients#${anchorOf(text)}`, text })),
      },
    ],
    main: `<h1>Clients and MCP</h1>
<p>${inline('Everything is plain HTTP with a bearer token. The examples take it from the environment, from `TOKEN` or `MOONBUCKET_TOKEN`.')}</p>
${heading(2, 'curl')}
${codeBlock(CURL, 'sh', 'Running a script with curl')}
${heading(2, 'TypeScript')}
<p>${inline('With `fetch`, in Node, Deno, Bun, Workers or a browser whose origin is in `ALLOWED_ORIGINS`.')}</p>
${codeBlock(TYPESCRIPT, 'ts', 'Running a script with fetch')}
${heading(2, 'Python')}
<p>With the standard library alone.</p>
${codeBlock(PYTHON, 'py', 'Running a script from Python')}
${heading(2, 'Generated clients')}
<p>${inline(`Any generator that reads OpenAPI 3.1 takes \`${PLACEHOLDER_ORIGIN}/openapi.json\`.`)}</p>
${heading(2, 'MCP')}
<p>${inline(`The address is \`${PLACEHOLDER_ORIGIN}/mcp\`: streamable HTTP without sessions. Hosts that log in by OAuth find the issuer by themselves; the others take a token as below.`)}</p>
${HOSTS.map(hostSection).join('\n')}`,
  }
}

function hostSection({ name, text, place, code, language }: McpHost): string {
  return `${heading(3, name)}
<p>${inline(text)}</p>
${codeBlock(code, language, `${name}: ${place}`)}`
}
