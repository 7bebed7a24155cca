/** Real MCP servers on loopback, of both libraries and in the manners of each revision. */
import type { ServerResponse } from 'node:http'
import { createMcpHandler, McpServer as NewServer } from '@modelcontextprotocol/server'
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport as OldTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import * as z from 'zod'
import type { ApiSketch } from '../../support/make-catalog.ts'
import { sendJson, startApi, type SeenRequest, type TestApi } from './start-api.ts'

export const SECRET = 'the-secret-of-the-crm'

/** The server as an API of the service. */
export function crm(baseUrl: string, more: ApiSketch = {}): ApiSketch {
  const auth = { type: 'bearer', secret: 'SECRET' } as const
  return { kind: 'mcp', title: 'CRM', baseUrl, auth, ...more }
}

/** How a server keeps its clients apart, and how it answers. */
export const MANNERS = ['sessions, events', 'sessions, JSON', 'no sessions', 'no greeting'] as const

export type Manner = (typeof MANNERS)[number]

export interface TestMcp {
  readonly api: TestApi
  /** Forgets all sessions, as a server does that is started anew. */
  forget(): void
}

export async function startMcp(manner: Manner): Promise<TestMcp> {
  const api = await startApi()
  const sessions = new Map<string, OldTransport>()
  api.answer(async (seen, response) => {
    const { method, headers, body, target } = seen
    const request = new Request(`${api.origin}${target}`, {
      method,
      headers: headers as Record<string, string>,
      body,
    })
    const isOld = manner.startsWith('sessions')
    const answer = await (isOld ? answerInSession(seen, request) : answerAlone(request))
    if (answer) await relay(answer, response)
    else sendJson(response, 404, { jsonrpc: '2.0', error: { message: 'no session' }, id: null })
  })
  return { api, forget: () => sessions.clear() }

  async function answerInSession({ headers }: SeenRequest, request: Request) {
    const id = headers['mcp-session-id']
    const transport = id === undefined ? await greet() : sessions.get(String(id))
    return transport?.handleRequest(request)
  }

  async function greet(): Promise<OldTransport> {
    const transport = new OldTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      enableJsonResponse: manner === 'sessions, JSON',
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    const server = new OldServer({ name: 'crm', version: '1' })
    registerTools(server as unknown as NewServer)
    await server.connect(transport as Parameters<typeof server.connect>[0])
    return transport
  }

  function answerAlone(request: Request): Promise<Response> {
    const makeServer = () => {
      const server = new NewServer({ name: 'crm', version: '1' })
      registerTools(server)
      return server
    }
    const legacy = manner === 'no greeting' ? 'reject' : 'stateless'
    return createMcpHandler(makeServer, { legacy }).fetch(request)
  }
}

/** The tools that every server here has. */
function registerTools(server: NewServer): void {
  const reads = { annotations: { readOnlyHint: true } }
  server.registerTool(
    'get-customer',
    { ...reads, description: 'A customer', inputSchema: z.object({ id: z.number() }) },
    ({ id }) => {
      if (id === 404) return { isError: true, content: [text('no customer 404')] }
      return { structuredContent: { id, name: 'Ann' }, content: [text('Ann')] }
    },
  )
  server.registerTool('list_notes', { ...reads, description: 'Notes' }, () => ({
    content: [text('first'), text('second')],
  }))
  server.registerTool('motto', { ...reads, description: 'A text' }, () => ({
    content: [text('customers first')],
  }))
  server.registerTool('end', { ...reads, description: 'Named like a word of Lua' }, () => ({
    content: [text('{"over":true}')],
  }))
  server.registerTool('delete_customer', { description: 'Changes something' }, () => ({
    content: [text('deleted')],
  }))
}

async function relay(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  for await (const piece of answer.body ?? []) response.write(piece)
  response.end()
}

function text(said: string) {
  return { type: 'text', text: said } as const
}
