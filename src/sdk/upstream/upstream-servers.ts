/** The MCP servers of one run; tool lists come from the shared cache if fresh. */
import { untilAborted } from '../../lib/abort.ts'
import { ApiError } from '../call/api-error.ts'
import type { ApiInfo, Catalog } from '../catalog/catalog.ts'
import type { CallerCredential } from '../secrets/credentials.ts'
import type { RunRequests } from '../call/run-requests.ts'
import { toolCatalog } from './tool-catalog.ts'
import type { ToolLists } from './tool-lists.ts'
import { UpstreamServer, type PostMessage } from './upstream-mcp.ts'

const LIST_MS = 10_000

export interface UpstreamServersOptions {
  readonly toolLists: ToolLists
  readonly callerAuth: ReadonlyMap<string, CallerCredential>
}

export class UpstreamServers {
  readonly #options: UpstreamServersOptions
  readonly #requests: RunRequests
  readonly #servers = new Map<string, UpstreamServer>()
  /** Lists fetched with the caller's own credential. */
  readonly #own = new Map<string, Catalog>()

  constructor(options: UpstreamServersOptions, requests: RunRequests) {
    this.#options = options
    this.#requests = requests
  }

  of(api: ApiInfo): UpstreamServer {
    const cached = this.#servers.get(api.name)
    if (cached) return cached
    const server = new UpstreamServer(api, (...message) => this.#post(api, ...message))
    this.#servers.set(api.name, server)
    return server
  }

  /** The tools that scripts may call. @throws {ApiError} {@link LimitReached} */
  async catalogOf(api: ApiInfo, withinMs = LIST_MS): Promise<Catalog> {
    const { toolLists, callerAuth } = this.#options
    const isOwn = api.takesCallerAuth === true && callerAuth.has(api.name)
    const cached = isOwn ? this.#own.get(api.name) : toolLists.find(api.name)
    if (cached) return cached
    const tools = await withTimeout(api, withinMs, () => this.of(api).tools())
    const catalog = toolCatalog(api, tools, this.#requests.redactor)
    // A caller's credential may show tools that others must not see.
    if (isOwn) this.#own.set(api.name, catalog)
    else toolLists.set(api.name, catalog)
    return catalog
  }

  #post(api: ApiInfo, ...[headers, content, watch]: Parameters<PostMessage>) {
    const request = { method: 'POST', url: new URL(api.baseUrl), headers: new Headers(headers) }
    const body = { content, contentType: 'application/json' }
    return this.#requests.send(api.name, api, request, body, { watch })
  }
}

/** Only the wait is bounded: the request goes on for the call that may follow. */
async function withTimeout<T>({ name }: ApiInfo, ms: number, work: () => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(ms)
  try {
    return await untilAborted(signal, work)
  } catch (error) {
    if (error !== signal.reason) throw error
    const message = `${name}: the server did not list its tools within ${ms / 1000} s`
    throw new ApiError('timeout', message)
  }
}
