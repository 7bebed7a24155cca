/** Search and docs: functions from the catalog, tools from their MCP servers. */
import { LimitReached, RaisedInLua } from '../../vm/script-error.ts'
import { ApiError } from '../call/api-error.ts'
import type { ApiInfo, Catalog, FunctionInfo } from '../catalog/catalog.ts'
import { serverOf, apiHelp, functionHelp, help } from '../catalog/help.ts'
import { luaName } from '../catalog/names.ts'
import { plainText } from '../catalog/schema-text.ts'
import type { RunRequests } from '../call/run-requests.ts'
import { searchCatalogs, type SearchHit } from './search.ts'
import type { UpstreamServers } from '../upstream/upstream-servers.ts'

/** A search must be quick: slow servers are left out. */
const SEARCH_MS = 2_000
const MAX_REASON = 300

export interface SearchResult {
  readonly hits: readonly SearchHit[]
  /** Servers that could not be searched, and why. */
  readonly note?: string | undefined
}

/** Per run or request. Every method throws {@link RaisedInLua} with a message for the script. */
export class Discovery {
  readonly #catalog: Catalog
  readonly #servers: UpstreamServers
  readonly #requests: RunRequests

  constructor(catalog: Catalog, servers: UpstreamServers, requests: RunRequests) {
    this.#catalog = catalog
    this.#servers = servers
    this.#requests = requests
  }

  async functionsOf(api: ApiInfo): Promise<readonly FunctionInfo[]> {
    const catalog = api.kind === 'mcp' ? await this.#toolsOf(api) : this.#catalog
    return catalog.functionsOf(api.name)
  }

  /** By qualified name, or the server's own. */
  async functionHelp(name: string): Promise<string> {
    const server = serverOf(this.#catalog, name)
    if (!server) return functionHelp(this.#catalog, name)
    const tool = luaName(name.slice(server.name.length + 1))
    return functionHelp(await this.#toolsOf(server), `${server.name}.${tool}`)
  }

  /** An API, a function, a tool or a type; empty for all APIs. */
  async help(name: string): Promise<string> {
    const server = this.#catalog.apis.find((api) => api.kind === 'mcp' && api.name === name)
    if (server) return this.#serverHelp(server)
    return serverOf(this.#catalog, name) ? this.functionHelp(name) : help(this.#catalog, name)
  }

  /** Best first; omits servers that do not respond in time. */
  async search(question: string): Promise<SearchResult> {
    const servers = this.#catalog.apis.filter(({ kind }) => kind === 'mcp')
    const missing: string[] = []
    const lists = await Promise.all(
      servers.map((server) =>
        this.#toolsOf(server, SEARCH_MS).catch((error: unknown) => {
          missing.push(messageOf(error))
          return []
        }),
      ),
    )
    const hits = searchCatalogs([this.#catalog, ...lists.flat()], question)
    if (missing.length === 0) return { hits }
    return { hits, note: `some tools are missing: ${missing.sort().join('; ')}` }
  }

  async #serverHelp(server: ApiInfo): Promise<string> {
    try {
      const tools = await this.#toolsOf(server)
      return apiHelp(tools, tools.apis[0]!)
    } catch (error) {
      if (error instanceof LimitReached) throw error
      return `${server.name}: ${server.title}. Its tools cannot be listed right now: ${messageOf(error)}`
    }
  }

  async #toolsOf(server: ApiInfo, withinMs?: number): Promise<Catalog> {
    try {
      return await this.#servers.catalogOf(server, withinMs)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const reason = plainText(error.message, MAX_REASON)
      throw new RaisedInLua(this.#requests.redactor.text(reason))
    }
  }
}

function messageOf(error: unknown): string {
  if (error instanceof RaisedInLua) return error.message
  throw error
}
