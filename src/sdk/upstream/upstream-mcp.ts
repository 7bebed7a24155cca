/** A small MCP client (streamable HTTP), so that scripts can call other servers' tools. */
import { VERSION } from '../../version.ts'
import { ApiError } from '../call/api-error.ts'
import { isHeaderText } from '../call/build-request.ts'
import type { ApiInfo } from '../catalog/catalog.ts'
import { stringifyExact } from '../call/exact-json.ts'
import { matchesGlob, luaName, didYouMean, quoteName } from '../catalog/names.ts'
import { messagesIn, resultOf, toolsIn, untilAnswered, type UpstreamTool } from './mcp-messages.ts'
import { fieldsOf, type Fields } from '../pages/page-fields.ts'
import type { OnBytes } from '../call/read-capped.ts'
import type { ApiResponse } from '../call/send.ts'

/** Offered first; the server replies with the revision it supports. */
const REVISION = '2025-11-25'
/** Has no handshake: each message identifies the client. */
const STATELESS_REVISION = '2026-07-28'
const CLIENT = { name: 'moonbucket', version: VERSION }
const META = {
  'io.modelcontextprotocol/protocolVersion': STATELESS_REVISION,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
}
const MAX_LIST_PAGES = 20
const MAX_TOOLS = 1000
const MAX_TEXT = 300
/** Of all descriptions together: lists are cached. */
const MAX_DESCRIPTION_LENGTH = 500_000

/** Sends with the API's credential, within the run's budget. */
export type PostMessage = (
  headers: Readonly<Record<string, string>>,
  message: string,
  watch?: (headers: Headers) => OnBytes,
) => Promise<ApiResponse>

/** Per run and server; initializes once and remembers the tools. */
export class UpstreamServer {
  readonly #api: ApiInfo
  readonly #post: PostMessage
  #lastId = 0
  #session: string | undefined
  #revision: string | undefined
  #initializing: Promise<void> | undefined
  #tools: Promise<readonly UpstreamTool[]> | undefined

  constructor(api: ApiInfo, post: PostMessage) {
    this.#api = api
    this.#post = post
  }

  /** By its own name, or by that in Lua. @throws {ApiError} */
  async find(requested: string): Promise<UpstreamTool> {
    const tools = await this.tools()
    const tool =
      tools.find((candidate) => candidate.name === requested) ??
      tools.find((candidate) => luaName(candidate.name) === requested)
    if (!tool) throw unknownTool(this.#api, requested, tools)
    return tool
  }

  /** Structured content, else text. @throws {ApiError} */
  async call({ name }: UpstreamTool, args: unknown): Promise<unknown> {
    const params = { name, arguments: args }
    return resultOf(`${this.#api.name}.${luaName(name)}`, await this.#ask('tools/call', params))
  }

  /** The tools the operator allows. Failures are not cached. @throws {ApiError} */
  async tools(): Promise<readonly UpstreamTool[]> {
    const listing = (this.#tools ??= this.#initialize().then(() => this.#list()))
    try {
      return await listing
    } catch (error) {
      this.#tools = undefined
      throw error
    }
  }

  async #initialize(): Promise<void> {
    this.#session = undefined
    this.#revision = undefined
    const hello = { protocolVersion: REVISION, capabilities: {}, clientInfo: CLIENT }
    const { protocolVersion } = await this.#exchange('initialize', hello)
    if (protocolVersion === STATELESS_REVISION) {
      this.#revision = STATELESS_REVISION
      return
    }
    // Chosen by the server and sent back in a header.
    const isRevision = /^[\w.-]{1,32}$/.test(String(protocolVersion))
    this.#revision = isRevision ? String(protocolVersion) : REVISION
    const method = 'notifications/initialized'
    await this.#post(this.#headersFor(method), JSON.stringify({ jsonrpc: '2.0', method }))
  }

  async #list(): Promise<readonly UpstreamTool[]> {
    const tools = new Map<string, UpstreamTool>()
    const cursors = new Set<unknown>()
    let cursor: unknown
    let descriptionLength = 0
    for (let page = 0; page < MAX_LIST_PAGES; page++) {
      const answer = await this.#ask('tools/list', typeof cursor === 'string' ? { cursor } : {})
      for (const tool of toolsIn(answer)) {
        if (tools.size === MAX_TOOLS) break
        if (tools.has(tool.name) || !this.#isAllowed(tool)) continue
        descriptionLength += JSON.stringify(tool.docs).length
        tools.set(
          tool.name,
          descriptionLength > MAX_DESCRIPTION_LENGTH ? { ...tool, docs: undefined } : tool,
        )
      }
      cursor = answer.nextCursor
      if (typeof cursor !== 'string' || cursors.has(cursor) || tools.size === MAX_TOOLS) break
      cursors.add(cursor)
    }
    return [...tools.values()]
  }

  #isAllowed({ name, isReadOnly }: UpstreamTool): boolean {
    const { include, exclude = [], canWrite } = this.#api
    const matches = (pattern: string) =>
      matchesGlob(pattern, name) || matchesGlob(pattern, luaName(name))
    if (include && !include.some(matches)) return false
    if (exclude.some(matches)) return false
    return canWrite === true || isReadOnly
  }

  /** A server may end a session at any time: initialize again, once. */
  async #ask(method: string, params: object): Promise<Fields> {
    const session = this.#session
    try {
      return await this.#exchange(method, params)
    } catch (error) {
      const isOver = error instanceof ApiError && error.details.status === 404
      if (!isOver || session === undefined) throw error
      // Concurrent calls share one new session.
      if (this.#session === session) this.#initializing = this.#initialize()
      await this.#initializing
      return this.#exchange(method, params)
    }
  }

  async #exchange(method: string, params: object): Promise<Fields> {
    const id = ++this.#lastId
    const all = this.#revision === STATELESS_REVISION ? { ...params, _meta: META } : params
    const text = stringifyExact({ jsonrpc: '2.0', id, method, params: all })
    const headers = this.#headersFor(method, 'name' in params ? String(params.name) : undefined)
    const answer = await this.#post(headers, text, untilAnswered(id))
    const messages = messagesIn(answer)
    const message = messages.find((candidate) => candidate.id === id)
    if (method === 'initialize' && message && namesRevision(message, STATELESS_REVISION)) {
      return { protocolVersion: STATELESS_REVISION }
    }
    if (answer.status >= 300 || !message) throw this.#noResponse(answer, messages)
    if (method === 'initialize') this.#session = answer.headers.get('Mcp-Session-Id') ?? undefined
    if (message.error === undefined) return fieldsOf(message.result)
    const detail = errorIn(message)
    throw new ApiError('tool_error', `${this.#api.name}: ${detail || 'the server refused'}`)
  }

  #noResponse({ status, statusText }: ApiResponse, messages: readonly Fields[]): ApiError {
    const { name } = this.#api
    if (status < 300) {
      const what = `${name}: the server sent no MCP response`
      return new ApiError('invalid_answer', what, { status })
    }
    const detail = messages.map(errorIn).find((text) => text !== '')
    const what = [status, statusText].filter(Boolean).join(' ')
    return new ApiError('http_error', `${name}: ${what}${detail ? `: ${detail}` : ''}`, { status })
  }

  #headersFor(method: string, name?: string): Record<string, string> {
    return {
      Accept: 'application/json, text/event-stream',
      ...(this.#session !== undefined && { 'Mcp-Session-Id': this.#session }),
      ...(this.#revision !== undefined && { 'MCP-Protocol-Version': this.#revision }),
      ...(this.#revision === STATELESS_REVISION && { 'Mcp-Method': method }),
      ...(this.#revision === STATELESS_REVISION &&
        name !== undefined &&
        isHeaderText(name) && { 'Mcp-Name': name }),
    }
  }
}

function namesRevision({ error }: Fields, revision: string): boolean {
  const { supported } = fieldsOf(fieldsOf(error).data)
  return Array.isArray(supported) && supported.includes(revision)
}

function errorIn({ error }: Fields): string {
  const { message } = fieldsOf(error)
  return typeof message === 'string' ? message.slice(0, MAX_TEXT) : ''
}

function unknownTool(api: ApiInfo, requested: string, tools: readonly UpstreamTool[]): ApiError {
  const names = tools.map(({ name }) => luaName(name))
  const list = names.length > 0 ? `; tools: ${names.slice(0, 12).join(', ')}` : ''
  const near = didYouMean(requested, names) || list
  const message = `${api.name}: unknown tool ${quoteName(requested)}${near}`
  return new ApiError('invalid_arguments', message)
}
