/** The APIs of a service, and of one run: finds functions, calls them, keeps page state. */
import type { Ending } from '../../lib/abort.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { RequestBudget } from '../../files/request-budget.ts'
import type { RunLimits } from '../../limits.ts'
import type { ApiCall, ApiHost, ApiResult, ScriptApis } from '../../vm/library/library-host.ts'
import { ApiError, refuser } from './api-error.ts'
import { callOptions, type CallOptions } from './call-options.ts'
import { parseArguments } from './check-arguments.ts'
import { Catalog, type ApiInfo, type CatalogTexts } from '../catalog/catalog.ts'
import type { CallerCredential, FetchAccessToken } from '../secrets/credentials.ts'
import { Discovery } from '../search/discovery.ts'
import { findName, serverOf } from '../catalog/help.ts'
import { isPastLastPage, pageReceived, PageStore } from '../pages/page-store.ts'
import { PreparedCall } from './prepared-call.ts'
import { jsonResult, readResponse } from './read-response.ts'
import { findListed } from './may-reach.ts'
import { RunRequests } from './run-requests.ts'
import type { Fetch, OpenResponse, RedirectEvent } from './send.ts'
import { dump } from '../save/dump.ts'
import { alreadyRead, saveResponse } from '../save/save-response.ts'
import { ToolLists, UpstreamServers } from '../upstream/upstream-servers.ts'
import { InvalidConfig } from '../../config.ts'
import { accessTokens } from '../secrets/access-tokens.ts'

/** Configured once per service. */
export interface Apis {
  readonly catalog: Catalog
  secretOf(name: string): string | undefined
  readonly fetch: Fetch
  /** Also allows plain HTTP. */
  readonly allowsLoopback: boolean
  readonly fetchAccessToken: FetchAccessToken
  readonly toolLists: ToolLists
}

/** Without arguments, which may hold secrets. */
export interface CalledFunction {
  readonly api: string
  readonly function: string
  /** Of HTTP, or of MCP. */
  readonly method: string
}

type DiscoveryOptions = Omit<RunApisOptions, 'secrets'>

export interface RunApisOptions extends Apis {
  readonly limits: RunLimits
  /** Shared with the run's files; by default the limit is for APIs alone. */
  readonly requests?: RequestBudget | undefined
  readonly callerAuth: ReadonlyMap<string, CallerCredential>
  /** Takes memory for responses, which the run gives back. @throws {LimitReached} */
  readonly hold?: ((bytes: number) => MaybePromise<void>) | undefined
  /** Counts everything that APIs send. @throws {LimitReached} */
  readonly countBytes?: ((bytes: number) => MaybePromise<void>) | undefined
  /** Of the run, with the time that is left. */
  readonly ending: Ending & { readonly leftMs?: number }
  /** Sign what a dump leaves for a later run; the first signs. */
  readonly secrets: readonly string[]
  readonly onRedirect?: ((event: RedirectEvent) => void) | undefined
  /** A call that may not be sent answers `{}`; by default all are sent. */
  readonly maySend?: ((call: CalledFunction, isReadOnly?: boolean) => boolean) | undefined
}

/** Search and docs without calls. Per request, never shared. */
export function openDiscovery(options: DiscoveryOptions): Discovery {
  const requests = new RunRequests(options)
  return new Discovery(options.catalog, new UpstreamServers(options, requests), requests)
}

/** Per run, never shared. */
export function runApis(options: RunApisOptions): ScriptApis {
  const { catalog, ending } = options
  const requests = new RunRequests(options)
  const servers = new UpstreamServers(options, requests)
  const discovery = new Discovery(catalog, servers, requests)
  const pages = new PageStore()

  return {
    find: (name) => findName(catalog, name),
    async search(question) {
      const { hits, note } = await discovery.search(question)
      return { hitsJson: JSON.stringify(hits), note }
    },
    help: (name) => discovery.help(name),
    async call(call, host) {
      try {
        return await answer(call, host)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const text = requests.redactor.text(error.toText())
        return { kind: 'error', bytes: new TextEncoder().encode(text) }
      }
    },
  }

  async function answer(asked: ApiCall, host: ApiHost): Promise<ApiResult> {
    if (asked.kind === 'download') return download(asked, host)
    const server = serverOf(catalog, asked.name)
    if (server) return answerOfTool(server, asked, host)
    const call = new PreparedCall(catalog, asked)
    const { name, entry } = call
    if (!maySend(call.api, name, entry.method)) return jsonResult({})
    if (asked.kind === 'dump') return jsonResult(await dumpPages(call, asked, host))
    const page = pages.find(asked.page)
    const wanted = callOptions(name, asked, page?.number)
    // A call with side effects must not be made if its response cannot be saved.
    if (wanted.saveTo !== undefined) host.assertCanSave(wanted.saveTo)
    const { contentType } = wanted
    const { url, received } = await call.open(requests, host, { page, contentType })
    if (asked.page === undefined) return resultOf(call, received, wanted, host)

    const isSaved = wanted.saveTo !== undefined
    const whole = await received.whole(!isSaved)
    const paged = pageReceived(url, whole)
    if (await isPastLastPage(page, paged)) return { kind: 'nothing' }
    const given = isSaved
      ? await saved(name, alreadyRead(whole), wanted, host)
      : readResponse(name, entry, whole)
    return { ...given, ...(await pages.add(name, call.params, paged, page)) }
  }

  /** Calls that are not sent count as well. @throws {LimitReached} */
  function maySend(api: ApiInfo, name: string, method: string, isReadOnly?: boolean): boolean {
    const called = { api: api.name, function: name.slice(api.name.length + 1), method }
    if (options.maySend?.(called, isReadOnly) ?? true) return true
    requests.budget.countCall()
    return false
  }

  async function resultOf(
    { name, entry }: PreparedCall,
    received: OpenResponse,
    wanted: CallOptions,
    host: ApiHost,
  ): Promise<ApiResult> {
    if (wanted.saveTo !== undefined) return saved(name, received, wanted, host)
    return readResponse(name, entry, await received.whole())
  }

  function saved(name: string, received: OpenResponse, wanted: CallOptions, host: ApiHost) {
    return saveResponse({ host, budget: requests.budget, ending }, name, received, wanted)
  }

  async function dumpPages(call: PreparedCall, asked: ApiCall, host: ApiHost) {
    const context = { host, budget: requests.budget, ending }
    return dump(context, { ...options, call, requests, wanted: callOptions(call.name, asked) })
  }

  async function download(asked: ApiCall, host: ApiHost): Promise<ApiResult> {
    const { name } = asked
    const wanted = callOptions(name, asked)
    const { url: written } = JSON.parse(asked.argsJson) as { readonly url: string }
    const hosts = catalog.apis.flatMap(({ downloadHosts = [] }) => downloadHosts)
    const { allowsLoopback } = options
    const url = findListed(written, { hosts, listedIn: 'download_hosts', allowsLoopback })
    if (typeof url === 'string') throw new ApiError('not_allowed', `${name}: ${url}`)
    host.assertCanSave(wanted.saveTo!)
    return saved(name, await requests.download(name, url, hosts), wanted, host)
  }

  async function answerOfTool(api: ApiInfo, asked: ApiCall, host: ApiHost): Promise<ApiResult> {
    const { name } = asked
    if (asked.kind === 'dump') refuser(name)('tools of MCP servers have no pages to dump')
    const wanted = callOptions(name, asked)
    const args = parseArguments(name, asked.argsJson)
    if (wanted.saveTo !== undefined) host.assertCanSave(wanted.saveTo)
    const body = asked.body && { body: new TextDecoder().decode(asked.body) }
    const server = servers.of(api)
    const tool = await server.find(name.slice(api.name.length + 1))
    if (!maySend(api, name, 'tools/call', tool.isReadOnly)) return jsonResult({})
    const value = await server.call(tool, { ...args, ...body })
    const result = jsonResult(value ?? null)
    if (wanted.saveTo === undefined) return result
    const headers = new Headers({ 'Content-Type': 'application/json' })
    const { bytes } = result
    return saved(name, alreadyRead({ status: 200, statusText: '', headers, bytes }), wanted, host)
  }
}

interface ApisOptions {
  /** Settings and secrets by name. */
  readonly env: Readonly<Record<string, unknown>>
  readonly allowsLoopback: boolean
  readonly now: () => Date
  /** The runtime's own by default. */
  readonly fetch?: Fetch | undefined
}

/** `undefined` if no API is configured. @throws {InvalidConfig} naming a missing secret. */
export function configureApis(texts: CatalogTexts, settings: ApisOptions): Apis | undefined {
  const catalog = new Catalog(texts)
  if (catalog.apis.length === 0) return undefined
  const secretOf = (name: string) => {
    const value = settings.env[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  for (const { name, auth } of catalog.apis) {
    if (!auth || auth.secret === '' || secretOf(auth.secret) !== undefined) continue
    throw new InvalidConfig(auth.secret, `is required: it is the secret of the API ${name}`)
  }
  const { allowsLoopback, now } = settings
  const send: Fetch = settings.fetch ?? ((...request) => fetch(...request))
  const fetchAccessToken = accessTokens({ fetch: send, allowsLoopback, now })
  const toolLists = new ToolLists(now)
  return { catalog, secretOf, fetch: send, allowsLoopback, fetchAccessToken, toolLists }
}
