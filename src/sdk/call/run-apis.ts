/** The APIs of a service, and of one run: finds functions, calls them, keeps page state. */
import type { Ending } from '../../lib/abort.ts'
import type { RunLimits } from '../../limits.ts'
import type { ApiResult, ApiCall, ApiFiles, ScriptApis } from '../../vm/library/library-host.ts'
import { ApiError, refuser } from './api-error.ts'
import { buildRequest } from './build-request.ts'
import { callOptions, checkArguments, checkBody, parseArguments } from './check-arguments.ts'
import { Catalog, type ApiInfo, type CatalogTexts } from '../catalog/catalog.ts'
import type { CallerCredential, FetchAccessToken } from '../secrets/credentials.ts'
import { Discovery } from '../search/discovery.ts'
import { stringifyExact } from './exact-json.ts'
import { findFunction, findName, serverOf } from '../catalog/help.ts'
import { isPastLastPage, pageReceived, PageStore, pageRequest } from '../pages/page-store.ts'
import { jsonResult, readResponse, savedResult } from './read-response.ts'
import { requestBody } from './request-body.ts'
import { openParams } from '../catalog/reserved-names.ts'
import { RunRequests } from './run-requests.ts'
import { ToolLists, UpstreamServers } from '../upstream/upstream-servers.ts'
import { InvalidConfig } from '../../config.ts'
import { accessTokens } from '../secrets/access-tokens.ts'

/** Configured once per service. */
export interface Apis {
  readonly catalog: Catalog
  secretOf(name: string): string | undefined
  readonly fetch: typeof fetch
  /** Also allows plain HTTP. */
  readonly allowsLoopback: boolean
  readonly fetchAccessToken: FetchAccessToken
  readonly toolLists: ToolLists
}

export interface RunApisOptions extends Apis {
  readonly limits: RunLimits
  readonly callerAuth: ReadonlyMap<string, CallerCredential>
  readonly ending: Ending
}

/** Search and docs without calls. Per request, never shared. */
export function openDiscovery(options: RunApisOptions): Discovery {
  const requests = new RunRequests(options)
  return new Discovery(options.catalog, new UpstreamServers(options, requests), requests)
}

/** Per run, never shared. */
export function runApis(options: RunApisOptions): ScriptApis {
  const { catalog } = options
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
    async call(call, files) {
      try {
        return await answer(call, untilEnd(files))
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const text = requests.redactor.text(error.toText())
        return { kind: 'error', bytes: new TextEncoder().encode(text) }
      }
    },
  }

  async function answer(asked: ApiCall, files: ApiFiles): Promise<ApiResult> {
    const server = serverOf(catalog, asked.name)
    if (server) return answerOfTool(server, asked, files)
    const { api, entry, name } = findFunction(catalog, asked.name)
    const { body: value, ...args } = parseArguments(name, asked.argsJson)
    const page = pages.find(asked.page)
    const { saveTo, contentType } = callOptions(name, asked.optionsJson, page?.number)
    checkArguments(name, api, entry, { ...args, ...(value !== undefined && { body: value }) })
    checkBody(name, entry.body, asked.body ?? value)
    // A call with side effects must not be made if its response cannot be saved.
    if (saveTo !== undefined) files.assertCanSave?.(saveTo)

    const first = buildRequest(name, api, entry, args)
    const request = page ? pageRequest(name, first, page.query, api, entry) : first
    // Copied before a credential may go into the query.
    const url = new URL(request.url)
    const body =
      entry.body &&
      (await requestBody(name, entry.body, { value, bytes: asked.body }, contentType, files))
    if (body && (entry.method === 'GET' || entry.method === 'HEAD')) {
      refuser(name)(`${entry.method} cannot have a body`)
    }
    const { isPublic } = entry
    const received = await requests.send(name, api, request, body, { isPublic })

    if (asked.page === undefined) return readResponse(name, entry, received, files, saveTo)
    const paged = pageReceived(url, received)
    if (await isPastLastPage(page, paged)) return { kind: 'nothing' }
    const given = await readResponse(name, entry, received, files, saveTo)
    return { ...given, ...(await pages.add(name, openParams(api, entry), paged, page)) }
  }

  async function answerOfTool(api: ApiInfo, asked: ApiCall, files: ApiFiles): Promise<ApiResult> {
    const { saveTo } = callOptions(asked.name, asked.optionsJson)
    const args = parseArguments(asked.name, asked.argsJson)
    if (saveTo !== undefined) files.assertCanSave?.(saveTo)
    const body = asked.body && { body: new TextDecoder().decode(asked.body) }
    const tool = asked.name.slice(api.name.length + 1)
    const value = await servers.of(api).call(tool, { ...args, ...body })
    if (saveTo === undefined) return jsonResult(value ?? null)
    const bytes = new TextEncoder().encode(stringifyExact(value ?? null))
    return savedResult(files, saveTo, bytes, 'application/json', 200)
  }

  /** A run that has ended must not write files. */
  function untilEnd(files: ApiFiles): ApiFiles {
    return {
      ...files,
      async save(path, bytes) {
        options.ending.signal.throwIfAborted()
        await files.save(path, bytes)
      },
    }
  }
}

interface ApisOptions {
  /** Settings and secrets by name. */
  readonly env: Readonly<Record<string, unknown>>
  readonly allowsLoopback: boolean
  readonly now: () => Date
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
  const send: typeof fetch = (...request) => fetch(...request)
  const fetchAccessToken = accessTokens({ fetch: send, allowsLoopback, now })
  const toolLists = new ToolLists(now)
  return { catalog, secretOf, fetch: send, allowsLoopback, fetchAccessToken, toolLists }
}
