/** `/docs/agents`: how MCP hosts and agent frameworks reach the service. */
import { PLACEHOLDER_ORIGIN } from '../../../../src/site/placeholder-origin.ts'
import { mcpHosts, type McpHost } from '../../../../src/site/mcp-hosts.ts'
import type { DocsPage } from './frame.ts'
import { anchorOf, codeBlock, heading, inline, type Language } from './html.ts'

/** A host that the workbench does not list. */
type OtherHost = Omit<McpHost, 'language'> & { readonly language: Language }

const URL = `${PLACEHOLDER_ORIGIN}/mcp`

const OPENAI: readonly OtherHost[] = [
  {
    name: 'OpenAI Agents SDK',
    text: 'Python, with the package `openai-agents`. Your program connects, so the service may be on your own machine.',
    place: 'Python',
    language: 'py',
    code: `import asyncio
import os

from agents import Agent, Runner
from agents.mcp import MCPServerStreamableHttp


async def main():
    token = os.environ["MOONBUCKET_TOKEN"]
    async with MCPServerStreamableHttp(
        name="moonbucket",
        params={"url": "${URL}", "headers": {"Authorization": f"Bearer {token}"}},
        client_session_timeout_seconds=60,
    ) as server:
        agent = Agent(name="Analyst", mcp_servers=[server])
        result = await Runner.run(agent, "Write the squares of 1 to 100 to a CSV file.")
        print(result.final_output)


asyncio.run(main())`,
  },
  {
    name: 'OpenAI Responses API',
    text: 'OpenAI connects, so the service needs a public address. This is one entry of `tools` in the request.',
    place: 'an entry of tools',
    language: 'json',
    code: JSON.stringify(
      {
        type: 'mcp',
        server_label: 'moonbucket',
        server_url: URL,
        authorization: '<token>',
        require_approval: 'never',
      },
      null,
      2,
    ),
  },
]

const ON_THIS_MACHINE: readonly OtherHost[] = [
  {
    name: 'From a clone',
    text: 'Any host that starts its servers itself. Replace both paths with yours: the clone, and the folder for the files.',
    place: 'an entry of mcpServers',
    language: 'json',
    code: stdioEntry('npm', [
      'run',
      '-s',
      '--prefix',
      '/home/me/moonbucket',
      'moonbucket',
      '--',
      'mcp',
      '--io-dir',
      '/home/me/data',
    ]),
  },
  {
    name: 'From the package',
    text: 'With the package that `npm run pack:cli` builds, installed with `npm install -g`.',
    place: 'an entry of mcpServers',
    language: 'json',
    code: stdioEntry('moonbucket', ['mcp', '--io-dir', '/home/me/data']),
  },
]

function stdioEntry(command: string, args: readonly string[]): string {
  return JSON.stringify({ mcpServers: { moonbucket: { command, args } } }, null, 2)
}

const SECTIONS = ['Get a token', 'MCP hosts', 'claude.ai', 'OpenAI', 'On your machine', 'Try it']

export function agentsPage(): DocsPage {
  return {
    path: '/docs/agents',
    title: 'Connect your agent',
    description:
      'Add the service to MCP hosts and agent frameworks, or serve its tools over stdio.',
    contents: [
      {
        title: 'On this page',
        links: SECTIONS.map((text) => ({ href: `/docs/agents#${anchorOf(text)}`, text })),
      },
    ],
    main: `<h1>Connect your agent</h1>
<p>${inline(`Agents use the service through MCP. Its address is \`${URL}\`: streamable HTTP, without sessions. On your own machine the same tools are also available over stdio, without a server.`)} ${MCP_LINK}</p>
${heading(2, 'Get a token')}
<p>${inline('Every entry below needs a bearer token. Ask the operator of the service for one, or create one for a service on your own machine:')}</p>
${codeBlock(TOKEN, 'sh', 'Making a token')}
<p>${inline('It is valid for a week. A token decides whose files the agent sees: give each agent its own user, and only the scopes it needs.')}</p>
${heading(2, 'MCP hosts')}
${mcpHosts(PLACEHOLDER_ORIGIN).map(hostSection).join('\n')}
${heading(2, 'claude.ai')}
<p>${inline('Connectors in claude.ai, the Claude apps and ChatGPT log in with OAuth and have no field for a token. They work if the operator has set `SIGN_IN`: then the service itself asks for your API key or for a login. They also work with `AUTH_ISSUER` alone, if that identity provider lets clients register or has a client for them. They also need a public address. Add the address above under Settings, Connectors, and log in.')}</p>
${heading(2, 'OpenAI')}
${OPENAI.map(hostSection).join('\n')}
${heading(2, 'On your machine')}
<p>The command serves the tools over stdio, with a folder as the store. There is no server and no token. ${COMMAND_LINK}</p>
${ON_THIS_MACHINE.map(hostSection).join('\n')}
${heading(2, 'Try it')}
<p>Ask the agent for a file:</p>
${codeBlock(PROMPT, 'text', 'A first prompt')}
<p>${inline('It should call `execute_script` and answer with a link that opens in a browser. If it does not see the tools, check the token with a request:')}</p>
${codeBlock(CHECK, 'sh', 'Checking the token')}
<p>${inline('This lists the tools. 401 means that the token is wrong or has expired, 403 that it lacks a tenant or a scope.')}</p>`,
  }
}

const MCP_LINK = '<a href="/docs/mcp">MCP</a> lists the tools.'
const COMMAND_LINK = '<a href="/docs/command">Command line</a> has the details.'

const TOKEN =
  'export MOONBUCKET_TOKEN="$(npm run -s token -- --tenant acme --user agent --ttl=604800)"'

const PROMPT =
  'Write the squares of 1 to 100 to output/squares.csv, tell me their sum, and give me the link.'

export const CHECK = `curl -s ${URL} \\
  -H "Authorization: Bearer $MOONBUCKET_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -H 'Accept: application/json, text/event-stream' \\
  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`

function hostSection({ name, text, place, code, language }: OtherHost): string {
  return `${heading(3, name)}
<p>${inline(text)}</p>
${codeBlock(code, language, `${name}: ${place}`)}`
}
