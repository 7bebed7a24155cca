/** The official clients, each behind the same few calls: what one test says holds for all of them. */
import * as v2 from '@modelcontextprotocol/client'
import * as v1 from '@modelcontextprotocol/sdk/client/index.js'
import * as v1Http from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ListResourcesResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { onePer } from '../../support/tier.ts'

const SELF = { name: 'tests', version: '1' }

/** How a client gets in, and who sees what it sends. */
export interface Access {
  readonly token?: string | undefined
  readonly authProvider?: v2.OAuthClientProvider
  readonly fetch?: typeof fetch
}

/** How far a call has come. */
export interface Progress {
  readonly progress: number
  readonly message?: string | undefined
}

/** For a call that goes on for a while. */
interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: Progress) => void
}

/** A client of one server. */
export interface OfficialClient {
  connect(): Promise<void>
  /** Trades the code of an authorization server for a token, which the provider keeps. */
  finishAuth(code: string, iss?: string): Promise<void>
  /** The revision that was agreed on. */
  revision(): string | undefined
  listTools(): Promise<{ tools: v2.Tool[] }>
  callTool(name: string, args: object, options?: CallOptions): Promise<v2.CallToolResult>
  /** One page, as the server gives it. */
  listResources(cursor?: string): Promise<v2.ListResourcesResult>
  readResource(uri: string): Promise<v2.ReadResourceResult>
  listResourceTemplates(): Promise<v2.ListResourceTemplatesResult>
  close(): Promise<void>
}

/** One way to be a client. */
export interface ClientKind {
  readonly name: string
  readonly generation: 1 | 2
  readonly revision: string
  /** Giving up a call ends its request; with the others, only closing the client does. */
  readonly endsRequests: boolean
  make(address: string, access: Access): OfficialClient
}

export const CLIENT_KINDS: readonly ClientKind[] = [
  {
    name: 'sdk 1',
    generation: 1,
    revision: '2025-11-25',
    endsRequests: false,
    make: makeV1,
  },
  {
    name: 'client 2, legacy',
    generation: 2,
    revision: '2025-11-25',
    endsRequests: false,
    make: makeV2('legacy'),
  },
  {
    name: 'client 2, modern',
    generation: 2,
    revision: '2026-07-28',
    endsRequests: true,
    make: makeV2({ pin: '2026-07-28' }),
  },
]

/** One of each revision under `npm test`. */
export const TESTED_KINDS = onePer(CLIENT_KINDS, ({ revision }) => revision)

function transportOptions({ token, authProvider, fetch }: Access) {
  return {
    ...(token !== undefined && { requestInit: { headers: { Authorization: `Bearer ${token}` } } }),
    ...(authProvider && { authProvider }),
    ...(fetch && { fetch: fetch as v2.FetchLike }),
  }
}

function makeV1(address: string, access: Access): OfficialClient {
  const client = new v1.Client(SELF)
  const options = transportOptions(access) as v1Http.StreamableHTTPClientTransportOptions
  const transport = new v1Http.StreamableHTTPClientTransport(new URL(address), options)
  return {
    connect: () => client.connect(transport as Parameters<typeof client.connect>[0]),
    finishAuth: (code) => transport.finishAuth(code),
    revision: () => transport.protocolVersion,
    listTools: async () => (await client.listTools()) as { tools: v2.Tool[] },
    callTool: async (name, args, calling) =>
      (await client.callTool(
        { name, arguments: { ...args } },
        undefined,
        calling as object,
      )) as v2.CallToolResult,
    listResources: (cursor) =>
      client.request({ method: 'resources/list', params: { cursor } }, ListResourcesResultSchema),
    readResource: (uri) => client.readResource({ uri }),
    listResourceTemplates: () => client.listResourceTemplates(),
    close: () => client.close(),
  }
}

function makeV2(mode: v2.VersionNegotiationMode): ClientKind['make'] {
  return function makeClient(address, access) {
    const client = new v2.Client(SELF, { versionNegotiation: { mode } })
    const transport = new v2.StreamableHTTPClientTransport(
      new URL(address),
      transportOptions(access),
    )
    return {
      connect: () => client.connect(transport),
      finishAuth: (code, iss) => transport.finishAuth(code, iss),
      revision: () => client.getNegotiatedProtocolVersion(),
      listTools: () => client.listTools(),
      callTool: (name, args, calling) =>
        client.callTool({ name, arguments: { ...args } }, calling as v2.CallToolRequestOptions),
      // Its own listing walks through the pages by itself.
      listResources: (cursor) =>
        client.request({ method: 'resources/list', params: { ...(cursor && { cursor }) } }),
      readResource: (uri) => client.readResource({ uri }),
      listResourceTemplates: () => client.listResourceTemplates(),
      close: () => client.close(),
    }
  }
}
