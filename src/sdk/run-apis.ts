/** The APIs of one run: finds functions, calls them within the run's budget, and keeps its pages. */
import type { RunLimits } from '../limits.ts'
import type { ApiAnswer, ApiCall, ApiFiles, ScriptApis } from '../vm/script-apis.ts'
import { ApiError } from './api-error.ts'
import { ApiBudget } from './budget.ts'
import { buildRequest, type ApiRequest } from './build-request.ts'
import type { ApiInfo, CallEntry, Catalog } from './catalog.ts'
import { checkArguments, checkBody, type Arguments } from './check-arguments.ts'
import { addCredential, type CallerCredential, type FetchAccessToken } from './credentials.ts'
import { parseExact } from './exact-json.ts'
import { findFunction, findName, serverOf } from './find-name.ts'
import { help } from './help.ts'
import { nextPage, type NextQuery } from './next-page.ts'
import { readAnswer } from './read-answer.ts'
import { Redactor } from './redact.ts'
import { requestBody } from './request-body.ts'
import { searchFunctions } from './search.ts'
import { send, type ReceivedAnswer } from './send.ts'
import { UpstreamServer } from './upstream-mcp.ts'

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
  readonly signal: AbortSignal
}

/** A page that can be asked for: the query that leads there, and which one it is. */
interface Page {
  readonly query: NextQuery
  readonly number: number
}

interface CallOptions {
  readonly save_to?: unknown
  readonly content_type?: unknown
}

/** Made per run: nothing of it is shared. */
export function runApis(options: RunApisOptions): ScriptApis {
  const { catalog } = options
  const budget = new ApiBudget(options.limits)
  const redactor = new Redactor()
  // A script gets numbers only: what it sends back can lead nowhere but to these.
  const pages: Page[] = []
  const servers = new Map<string, UpstreamServer>()

  return {
    find: (name) => findName(catalog, name),
    search: (question) => JSON.stringify(searchFunctions(catalog, question)),
    help: (name) => help(catalog, name),
    async call(call, files) {
      try {
        return await answer(call, files)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const text = redactor.text(JSON.stringify(error))
        return { kind: 'error', bytes: new TextEncoder().encode(text) }
      }
    },
  }

  async function answer(asked: ApiCall, files: ApiFiles): Promise<ApiAnswer> {
    const server = serverOf(catalog, asked.name)
    if (server) return answerOfTool(server, asked, files)
    const { api, entry, name } = findFunction(catalog, asked.name)
    const { body: value, ...args } = parseExact(asked.argsJson) as Arguments
    const { saveTo, contentType } = optionsOf(name, asked.optionsJson)
    const page = asked.page ? pages[asked.page - 1] : undefined
    checkArguments(name, entry, { ...args, ...(value !== undefined && { body: value }) })
    if (asked.body === undefined) checkBody(name, entry.body, value)
    else if (!entry.body) checkBody(name, undefined, asked.body)

    const request = buildRequest(name, api, entry, args)
    if (page) turnTo(request, page.query, api, entry)
    const body =
      entry.body &&
      (await requestBody(name, entry.body, { value, bytes: asked.body }, contentType, files))
    // A copy for links in the answer: the credential may go into the address.
    const url = new URL(request.url)
    if (!entry.isPublic) await addCredential(request, api, { ...options, redactor })
    const received = await send(name, request, body, { ...options, budget })
    const clean: ReceivedAnswer = { ...received, bytes: redactor.bytes(received.bytes) }
    const number = page?.number ?? 1
    const given = await readAnswer(
      name,
      entry,
      clean,
      files,
      saveTo?.replaceAll('{page}', String(number)),
    )
    if (asked.page === undefined || given.kind === 'error') return given
    const query = nextPage(entry, args, {
      url,
      link: clean.headers.get('Link'),
      body: decoded(clean.bytes),
    })
    return query ? { ...given, nextPage: pages.push({ query, number: number + 1 }) } : given
  }

  async function answerOfTool(
    server: ApiInfo,
    asked: ApiCall,
    files: ApiFiles,
  ): Promise<ApiAnswer> {
    const { saveTo } = optionsOf(asked.name, asked.optionsJson)
    const args = parseExact(asked.argsJson) as Arguments
    const body = asked.body && { body: new TextDecoder().decode(asked.body) }
    const value = await upstream(server).call(toolName(server, asked), { ...args, ...body })
    const bytes = new TextEncoder().encode(JSON.stringify(value ?? null))
    if (saveTo === undefined) return { kind: 'json', bytes }
    await files.save(saveTo, bytes)
    const saved = {
      path: saveTo,
      bytes: bytes.length,
      content_type: 'application/json',
      status: 200,
    }
    return { kind: 'json', bytes: new TextEncoder().encode(JSON.stringify(saved)) }
  }

  function upstream(api: ApiInfo): UpstreamServer {
    const known =
      servers.get(api.name) ??
      new UpstreamServer(api, (headers, message) => post(api, headers, message))
    servers.set(api.name, known)
    return known
  }

  async function post(
    api: ApiInfo,
    headers: Readonly<Record<string, string>>,
    message: string,
  ): Promise<ReceivedAnswer> {
    const request = { method: 'POST', url: new URL(api.baseUrl), headers: new Headers(headers) }
    await addCredential(request, api, { ...options, redactor })
    const body = { content: message, contentType: 'application/json' }
    const received = await send(api.name, request, body, { ...options, budget })
    return { ...received, bytes: redactor.bytes(received.bytes) }
  }
}

function toolName(server: ApiInfo, { name }: ApiCall): string {
  return name.slice(server.name.length + 1)
}

/** Replaces what the query says of the page; what the operator fixed and the credential stay theirs. */
function turnTo(
  { url }: ApiRequest,
  query: NextQuery,
  { auth }: ApiInfo,
  { params }: CallEntry,
): void {
  const isFixed = (name: string) =>
    params.some(
      (param) => param.in === 'query' && param.name === name && param.frozen !== undefined,
    ) ||
    (auth?.type === 'api_key' && auth.in === 'query' && auth.name === name)
  const wanted = query.filter(([name]) => !isFixed(name))
  for (const replaced of new Set(wanted.map(([name]) => name))) url.searchParams.delete(replaced)
  for (const [name, value] of wanted) url.searchParams.append(name, value)
}

function optionsOf(name: string, json: string | undefined) {
  const {
    save_to: saveTo,
    content_type: contentType,
    ...rest
  } = JSON.parse(json ?? '{}') as CallOptions
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) {
    throw new ApiError(
      'invalid_arguments',
      `${name}: there is no option "${unknown}"; there are save_to and content_type`,
    )
  }
  for (const [option, value] of Object.entries({ save_to: saveTo, content_type: contentType })) {
    if (value !== undefined && typeof value !== 'string') {
      throw new ApiError('invalid_arguments', `${name}: ${option} has to be a string`)
    }
  }
  return { saveTo: saveTo as string | undefined, contentType: contentType as string | undefined }
}

function decoded(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown
  } catch {
    // Not JSON: then there are only links to go by.
    return undefined
  }
}
