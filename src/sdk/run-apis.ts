/** The APIs of one run: finds functions, calls them within the run's budget, and keeps its pages. */
import type { Ending } from '../files/until-aborted.ts'
import type { RunLimits } from '../limits.ts'
import type { ApiAnswer, ApiCall, ApiFiles, ScriptApis } from '../vm/script-apis.ts'
import { ApiError } from './api-error.ts'
import { ApiBudget } from './budget.ts'
import { buildRequest } from './build-request.ts'
import { callOptions } from './call-options.ts'
import type { ApiInfo, Catalog } from './catalog.ts'
import { checkArguments, checkBody, parseArguments } from './check-arguments.ts'
import { addCredential, type CallerCredential, type FetchAccessToken } from './credentials.ts'
import { stringifyExact } from './exact-json.ts'
import { findFunction, findName, serverOf } from './find-name.ts'
import { help } from './help.ts'
import { isBeyondEnd, pageReceived, PageShelf } from './page-shelf.ts'
import { jsonAnswer, readAnswer, savedAnswer } from './read-answer.ts'
import { Redactor } from './redact.ts'
import { requestBody } from './request-body.ts'
import { openParams } from './reserved-names.ts'
import { RunTokens } from './run-tokens.ts'
import { searchFunctions } from './search.ts'
import { send, type ReceivedAnswer } from './send.ts'
import { turnPage } from './turn-page.ts'
import { UpstreamServer, type PostMessage } from './upstream-mcp.ts'

/** What the service has configured, the same for every run. */
export interface Apis {
  readonly catalog: Catalog
  /** The value of a secret by its name. */
  secretOf(name: string): string | undefined
  readonly fetch: typeof fetch
  /** Whether APIs on this machine may be called. */
  readonly allowsLoopback: boolean
  readonly fetchAccessToken: FetchAccessToken
}

/** What is one run's own. */
export interface RunApisOptions extends Apis {
  readonly limits: RunLimits
  readonly callerAuth: ReadonlyMap<string, CallerCredential>
  readonly ending: Ending
}

/** Made per run: nothing of it is shared. */
export function runApis(options: RunApisOptions): ScriptApis {
  const { catalog } = options
  const budget = new ApiBudget(options.limits)
  const redactor = new Redactor()
  const pages = new PageShelf()
  const tokens = new RunTokens(options)
  const servers = new Map<string, UpstreamServer>()
  const credentials = {
    secretOf: options.secretOf,
    callerAuth: options.callerAuth,
    accessTokenOf: tokens.tokenOf.bind(tokens),
    redactor,
  }

  return {
    find: (name) => findName(catalog, name),
    search: (question) => JSON.stringify(searchFunctions(catalog, question)),
    help: (name) => help(catalog, name),
    async call(call, files) {
      try {
        return await answer(call, untilEnd(files))
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const text = redactor.text(error.toText())
        return { kind: 'error', bytes: new TextEncoder().encode(text) }
      }
    },
  }

  async function answer(asked: ApiCall, files: ApiFiles): Promise<ApiAnswer> {
    const server = serverOf(catalog, asked.name)
    if (server) return answerOfTool(server, asked, files)
    const { api, entry, name } = findFunction(catalog, asked.name)
    const { body: value, ...args } = parseArguments(name, asked.argsJson)
    const page = pages.find(asked.page)
    const { saveTo, contentType } = callOptions(name, asked.optionsJson, page?.number)
    checkArguments(name, api, entry, { ...args, ...(value !== undefined && { body: value }) })
    checkBody(name, entry.body, asked.body ?? value)
    // A call that changes something must not be made if its answer has nowhere to go.
    if (saveTo !== undefined) files.assertCanSave?.(saveTo)

    const first = buildRequest(name, api, entry, args)
    const request = page ? turnPage(name, first, page.query, api, entry) : first
    // A copy for links in the answer: the credential may go into the address.
    const url = new URL(request.url)
    const body =
      entry.body &&
      (await requestBody(name, entry.body, { value, bytes: asked.body }, contentType, files))
    if (body && (entry.method === 'GET' || entry.method === 'HEAD')) {
      throw new ApiError('invalid_arguments', `${name}: ${entry.method} cannot have a body`)
    }
    if (!entry.isPublic) await addCredential(request, api, credentials)
    const received = cleaned(await send(name, request, body, { ...options, budget }))
    if (received.status === 401) await tokens.refuse(api)

    if (asked.page === undefined) return readAnswer(name, entry, received, files, saveTo)
    const paged = pageReceived(url, received)
    if (await isBeyondEnd(page, paged)) return { kind: 'nothing' }
    const given = await readAnswer(name, entry, received, files, saveTo)
    return { ...given, ...(await pages.add(name, openParams(api, entry), paged, page)) }
  }

  async function answerOfTool(api: ApiInfo, asked: ApiCall, files: ApiFiles): Promise<ApiAnswer> {
    const { saveTo } = callOptions(asked.name, asked.optionsJson)
    const args = parseArguments(asked.name, asked.argsJson)
    if (saveTo !== undefined) files.assertCanSave?.(saveTo)
    const server =
      servers.get(api.name) ?? new UpstreamServer(api, (...message) => post(api, ...message))
    servers.set(api.name, server)
    const body = asked.body && { body: new TextDecoder().decode(asked.body) }
    const value = await server.call(asked.name.slice(api.name.length + 1), { ...args, ...body })
    if (saveTo === undefined) return jsonAnswer(value ?? null)
    const bytes = new TextEncoder().encode(stringifyExact(value ?? null))
    return savedAnswer(files, saveTo, bytes, 'application/json', 200)
  }

  async function post(
    api: ApiInfo,
    ...[headers, content, watch]: Parameters<PostMessage>
  ): Promise<ReceivedAnswer> {
    const request = { method: 'POST', url: new URL(api.baseUrl), headers: new Headers(headers) }
    await addCredential(request, api, credentials)
    const body = { content, contentType: 'application/json' }
    const received = await send(api.name, request, body, { ...options, budget, watch })
    if (received.status === 401) await tokens.refuse(api)
    return cleaned(received)
  }

  /** A run that is over writes nothing more, whatever still arrives. */
  function untilEnd(files: ApiFiles): ApiFiles {
    return {
      ...files,
      async save(path, bytes) {
        options.ending.signal.throwIfAborted()
        await files.save(path, bytes)
      },
    }
  }

  function cleaned(received: ReceivedAnswer): ReceivedAnswer {
    const headers = new Headers(received.headers)
    const type = headers.get('Content-Type')
    if (type !== null) headers.set('Content-Type', redactor.text(type))
    return { ...received, headers, bytes: redactor.bytes(received.bytes) }
  }
}
