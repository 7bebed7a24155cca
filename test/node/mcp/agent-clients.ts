/** Clients that people use in agents and terminals, each behind the same few calls. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { loadPackage, packageFile, PYTHON } from '../../all/packages.ts'

/** At an address, or as a command to start. */
export type Server =
  | { readonly url: string; readonly token: string }
  | { readonly command: string; readonly args: string[]; readonly stderr: 'ignore' }

/** For clients that are processes. */
interface Surroundings {
  /** Where they may leave things, and find no settings and no browser. */
  readonly home: string
  readonly env: Record<string, string>
}

type Args = Record<string, unknown>

/** A client that has said hello; those without sessions do so at each call. */
export interface Connected {
  /** Names of tools. */
  list(): Promise<string[]>
  /** What a model gets to read. @throws what the client throws, or prints before it fails. */
  call(tool: string, args: Args): Promise<string>
  close(): Promise<void>
}

export interface AgentClient {
  readonly name: string
  /** What it shows when the token has expired. */
  readonly expired: string
  /** Servers as commands, over standard input and output. */
  readonly startsCommands: boolean
  /** Where it cannot be installed. */
  readonly isMissing?: boolean
  connect(server: Server, surroundings: Surroundings): Promise<Connected>
}

/** Of the client package that some build on; the response is in the error's data. */
const NEGOTIATION_REFUSED =
  'Version negotiation failed: the server requires authorization (HTTP 401)'

/** The answer to clients that then try to register for a login. */
const NO_LOGIN = 'The token is missing, wrong or has expired: send a valid one'

export const AGENT_CLIENTS: readonly AgentClient[] = [
  {
    name: 'AI SDK',
    expired: 'The token has expired.',
    startsCommands: true,
    connect: connectAiSdk,
  },
  {
    name: 'LangChain',
    expired: 'The token has expired.',
    startsCommands: true,
    connect: connectLangChain,
  },
  {
    name: 'OpenAI Agents',
    expired: NEGOTIATION_REFUSED,
    startsCommands: true,
    connect: connectOpenAiAgents,
  },
  {
    name: 'Mastra',
    expired: NEGOTIATION_REFUSED,
    startsCommands: true,
    connect: connectMastra,
  },
  {
    name: 'mcporter',
    expired: NO_LOGIN,
    startsCommands: true,
    connect: connectMcporter,
  },
  {
    name: 'Inspector',
    expired: 'The token has expired.',
    startsCommands: true,
    connect: connectInspector,
  },
  {
    name: 'mcp-remote',
    expired: NO_LOGIN,
    startsCommands: false,
    connect: connectMcpRemote,
  },
  {
    name: 'Python',
    // It takes no error without an id for one, and the AI SDK none whose id is null.
    expired: 'Server returned an error response',
    startsCommands: true,
    connect: connectPython,
    isMissing: !existsSync(PYTHON),
  },
]

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

/** The text for a model, or the structure where a client hands on that alone. */
function handedOn(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return handedOn(value[0])
  const { content, text: said } = value as { content?: unknown; text?: string }
  if (content !== undefined) return handedOn(content)
  return said ?? JSON.stringify(value)
}

interface AiTool {
  execute(args: Args, options: object): Promise<unknown>
}

async function connectAiSdk(server: Server): Promise<Connected> {
  const { createMCPClient } = loadPackage<{
    createMCPClient(options: object): Promise<{
      tools(): Promise<Record<string, AiTool>>
      close(): Promise<void>
    }>
  }>('@ai-sdk/mcp')
  const { Experimental_StdioMCPTransport: Stdio } = loadPackage<{
    Experimental_StdioMCPTransport: new (server: object) => object
  }>('@ai-sdk/mcp/mcp-stdio')
  const transport =
    'url' in server
      ? { type: 'http', url: server.url, headers: bearer(server.token) }
      : new Stdio(server)
  const client = await createMCPClient({ transport })
  return {
    list: async () => Object.keys(await client.tools()),
    call: async (tool, args) => {
      const tools = await client.tools()
      return handedOn(await tools[tool]!.execute(args, { toolCallId: '1', messages: [] }))
    },
    close: () => client.close(),
  }
}

interface LangChainTool {
  readonly name: string
  invoke(args: Args): Promise<unknown>
}

async function connectLangChain(server: Server): Promise<Connected> {
  const { MultiServerMCPClient } = loadPackage<{
    MultiServerMCPClient: new (options: object) => {
      getTools(): Promise<LangChainTool[]>
      close(): Promise<void>
    }
  }>('@langchain/mcp-adapters')
  const moonbucket =
    'url' in server
      ? { transport: 'http', url: server.url, headers: bearer(server.token) }
      : { transport: 'stdio', ...server }
  const client = new MultiServerMCPClient({ mcpServers: { moonbucket } })
  const tools = await client.getTools()
  return {
    list: async () => tools.map(({ name }) => name),
    call: async (tool, args) =>
      handedOn(await tools.find(({ name }) => name === tool)!.invoke(args)),
    close: () => client.close(),
  }
}

interface OpenAiServer {
  connect(): Promise<void>
  listTools(): Promise<{ name: string }[]>
  callTool(tool: string, args: Args): Promise<unknown>
  close(): Promise<void>
}

async function connectOpenAiAgents(server: Server): Promise<Connected> {
  const { MCPServerStreamableHttp, MCPServerStdio } = loadPackage<{
    MCPServerStreamableHttp: new (options: object) => OpenAiServer
    MCPServerStdio: new (options: object) => OpenAiServer
  }>('@openai/agents')
  const client =
    'url' in server
      ? new MCPServerStreamableHttp({
          name: 'moonbucket',
          url: server.url,
          requestInit: { headers: bearer(server.token) },
        })
      : // Five seconds by default, in which a busy machine may not start a process.
        new MCPServerStdio({ name: 'moonbucket', clientSessionTimeoutSeconds: 60, ...server })
  await client.connect()
  return {
    list: async () => (await client.listTools()).map(({ name }) => name),
    call: async (tool, args) => handedOn(await client.callTool(tool, args)),
    close: () => client.close(),
  }
}

interface MastraTool {
  execute(args: Args, context: object): Promise<unknown>
}

async function connectMastra(server: Server): Promise<Connected> {
  const { MCPClient } = loadPackage<{
    MCPClient: new (options: object) => {
      listToolsWithErrors(): Promise<{
        tools: Record<string, MastraTool>
        errors: Record<string, string>
      }>
      disconnect(): Promise<void>
    }
  }>('@mastra/mcp')
  const moonbucket =
    'url' in server
      ? { url: new URL(server.url), requestInit: { headers: bearer(server.token) } }
      : server
  const client = new MCPClient({ id: crypto.randomUUID(), servers: { moonbucket } })
  // Its other listings leave errors to the log.
  const { tools, errors } = await client.listToolsWithErrors()
  if (errors.moonbucket !== undefined) throw new Error(errors.moonbucket)
  return {
    list: async () => Object.keys(tools).map((name) => name.replace(/^moonbucket_/, '')),
    call: async (tool, args) => handedOn(await tools[`moonbucket_${tool}`]!.execute(args, {})),
    close: () => client.disconnect(),
  }
}

async function connectMcporter(server: Server, surroundings: Surroundings): Promise<Connected> {
  const where =
    'url' in server
      ? [
          '--http-url',
          server.url,
          '--allow-http',
          '--header',
          `Authorization=Bearer ${server.token}`,
        ]
      : ['--stdio', server.command, ...server.args.flatMap((arg) => ['--stdio-arg', arg])]
  const run = (...command: string[]) =>
    runClient(
      process.execPath,
      [packageFile('mcporter/dist/cli.js'), ...command, ...where, '--name', 'moonbucket'],
      surroundings,
    )
  return {
    list: async () => {
      const { tools } = JSON.parse(await run('list', '--json')) as { tools: { name: string }[] }
      return tools.map(({ name }) => name)
    },
    call: (tool, args) => run('call', '--tool', tool, '--args', JSON.stringify(args)),
    close: async () => undefined,
  }
}

async function connectInspector(server: Server, surroundings: Surroundings): Promise<Connected> {
  const where =
    'url' in server
      ? [server.url, '--transport', 'http', '--header', `Authorization: Bearer ${server.token}`]
      : [server.command, ...server.args]
  const output = ['--format', 'json', '--stored-auth-only']
  const run = (...command: string[]) =>
    runClient(
      process.execPath,
      [packageFile('.bin/mcp-inspector'), '--cli', ...where, ...output, '--method', ...command],
      surroundings,
    )
  return {
    list: async () => {
      const { result } = JSON.parse(await run('tools/list')) as {
        result: { tools: { name: string }[] }
      }
      return result.tools.map(({ name }) => name)
    },
    call: async (tool, args) => {
      const json = JSON.stringify(args)
      const printed = await run('tools/call', '--tool-name', tool, '--tool-args-json', json)
      return handedOn((JSON.parse(printed) as { result: unknown }).result)
    },
    close: async () => undefined,
  }
}

async function connectMcpRemote(server: Server, { home, env }: Surroundings): Promise<Connected> {
  if (!('url' in server)) throw new Error('it starts no commands')
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      packageFile('mcp-remote/dist/proxy.js'),
      server.url,
      '--header',
      `Authorization: Bearer ${server.token}`,
    ],
    env,
    cwd: home,
    stderr: 'pipe',
  })
  let printed = ''
  transport.stderr!.on('data', (chunk) => {
    printed += String(chunk)
  })
  const client = new Client({ name: 'host', version: '1' })
  // A host shows what the process prints, in its log.
  await client.connect(transport).catch((error: Error) => {
    throw new Error(`${error.message}\n${printed}`)
  })
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => handedOn(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  }
}

async function connectPython(server: Server, surroundings: Surroundings): Promise<Connected> {
  const script = resolve(import.meta.dirname, 'agent_client.py')
  const ask = (...question: unknown[]) =>
    runClient(PYTHON, [script, JSON.stringify([server, ...question])], surroundings)
  return {
    list: async () => JSON.parse(await ask(null, null)) as string[],
    call: (tool, args) => ask(tool, args),
    close: async () => undefined,
  }
}

/** @throws what it printed, if it ends with an exit code. */
async function runClient(
  command: string,
  args: readonly string[],
  { home, env }: Surroundings,
): Promise<string> {
  const child = spawn(command, args, {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  if (exitCode !== 0) throw new Error(`${stdout}\n${stderr}`)
  return stdout
}
