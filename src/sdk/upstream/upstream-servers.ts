/**
 * The MCP servers of one run, and their tools as catalogs; a list that is fresh comes from the
 * shared cache.
 */
import { untilAborted } from '../../lib/abort.ts'
import { ApiError } from '../call/api-error.ts'
import {
  Catalog,
  linesOf,
  type ApiInfo,
  type CallEntry,
  type FunctionInfo,
} from '../catalog/catalog.ts'
import type { RunApisOptions } from '../call/run-apis.ts'
import type { RunRequests } from '../call/run-requests.ts'
import { UpstreamServer, type PostMessage } from './upstream-mcp.ts'
import { luaName } from '../catalog/names.ts'
import type { UpstreamTool } from './mcp-messages.ts'
import type { Redactor } from '../secrets/redact.ts'

const LIST_MS = 10_000

type UpstreamServersOptions = Pick<RunApisOptions, 'toolLists' | 'callerAuth'>

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

/** @param redactor Applied again: truncated text may only now match a secret. */
function toolCatalog(api: ApiInfo, tools: readonly UpstreamTool[], redactor: Redactor): Catalog {
  const calls = Object.fromEntries(tools.map((tool) => [luaName(tool.name), callOf(tool)]))
  return new Catalog({
    apis: JSON.stringify([{ ...api, functions: tools.length }]),
    index: { [api.name]: redactor.text(JSON.stringify(tools.map(infoOf))) },
    calls: { [api.name]: redactor.text(linesOf(calls)) },
    types: {},
  })
}

function infoOf({ name, isReadOnly, docs }: UpstreamTool): FunctionInfo {
  return {
    name: luaName(name),
    method: isReadOnly ? 'GET' : 'POST',
    path: '',
    summary: docs?.summary ?? '',
  }
}

function callOf({ docs }: UpstreamTool): CallEntry {
  const { signature = '{ … }', description = '', params = [] } = docs ?? {}
  return {
    method: 'POST',
    path: '',
    signature,
    params,
    ...(description && { description }),
  }
}

const CACHE_MS = 120_000

/**
 * Shared cache of tool lists. Never holds a list fetched with a caller's own credential. Made once.
 * Caches lists, not promises: a workerd request cannot await another's.
 */
export class ToolLists {
  readonly #now: () => Date
  readonly #cache = new Map<string, { readonly catalog: Catalog; readonly endsAt: number }>()

  constructor(now: () => Date) {
    this.#now = now
  }

  find(server: string): Catalog | undefined {
    const cached = this.#cache.get(server)
    return cached && cached.endsAt > this.#now().getTime() ? cached.catalog : undefined
  }

  set(server: string, catalog: Catalog): void {
    this.#cache.set(server, { catalog, endsAt: this.#now().getTime() + CACHE_MS })
  }
}
