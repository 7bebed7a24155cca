/** Other MCP servers as APIs of a script: a small client of the streamable HTTP transport. */
import { VERSION } from '../../version.ts'
import { ApiError } from '../call/api-error.ts'
import { isHeaderText } from '../call/build-request.ts'
import type { ApiInfo } from '../catalog/catalog.ts'
import { stringifyExact } from '../call/exact-json.ts'
import { matchesGlob } from '../catalog/glob.ts'
import { luaName } from '../catalog/lua-name.ts'
import { messagesIn, resultOf, toolsIn, untilAnswered, type UpstreamTool } from './mcp-messages.ts'
import { didYouMean, quoted } from '../catalog/nearest.ts'
import { fieldsOf, type Fields } from '../pages/page-fields.ts'
import type { OnBytes } from '../call/read-capped.ts'
import type { ReceivedAnswer } from '../call/send.ts'

/** What most servers speak; each answers with the revision it settles for. */
const REVISION = '2025-11-25'
/** Has no greeting: each message says by itself who sends it. */
const WITHOUT_GREETING = '2026-07-28'
const CLIENT = { name: 'moonbucket', version: VERSION }
const META = {
  'io.modelcontextprotocol/protocolVersion': WITHOUT_GREETING,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
}
const MAX_LIST_PAGES = 20
const MAX_TOOLS = 1000
const MAX_TEXT = 300
/** Of all descriptions together: a list may be kept for a while. */
const MAX_TOLD_LENGTH = 500_000

/** Sends one message with the API's credential, within the run's budget. */
export type PostMessage = (
  headers: Readonly<Record<string, string>>,
  message: string,
  watch?: (headers: Headers) => OnBytes,
) => Promise<ReceivedAnswer>

/** One per run and server: it greets the server once, and knows its tools from then on. */
export class UpstreamServer {
  readonly #api: ApiInfo
  readonly #post: PostMessage
  #lastId = 0
  #session: string | undefined
  #revision: string | undefined
  #greeting: Promise<void> | undefined
  #tools: Promise<readonly UpstreamTool[]> | undefined

  constructor(api: ApiInfo, post: PostMessage) {
    this.#api = api
    this.#post = post
  }

  /** What the tool answers: its data, else its text. @throws {ApiError} */
  async call(asked: string, args: unknown): Promise<unknown> {
    const tools = await this.tools()
    const name = `${this.#api.name}.${asked}`
    const tool =
      tools.find((candidate) => candidate.name === asked) ??
      tools.find((candidate) => luaName(candidate.name) === asked)
    if (!tool) throw unknownTool(this.#api, asked, tools)
    const params = { name: tool.name, arguments: args }
    return resultOf(name, await this.#ask('tools/call', params))
  }

  /** Those the operator lets through. A server that could not be asked is asked again the next time. @throws {ApiError} */
  async tools(): Promise<readonly UpstreamTool[]> {
    const listing = (this.#tools ??= this.#greet().then(() => this.#list()))
    try {
      return await listing
    } catch (error) {
      this.#tools = undefined
      throw error
    }
  }

  async #greet(): Promise<void> {
    this.#session = undefined
    this.#revision = undefined
    const hello = { protocolVersion: REVISION, capabilities: {}, clientInfo: CLIENT }
    const { protocolVersion } = await this.#exchange('initialize', hello)
    if (protocolVersion === WITHOUT_GREETING) {
      this.#revision = WITHOUT_GREETING
      return
    }
    // It goes into a header, and the server chose it.
    const isRevision = /^[\w.-]{1,32}$/.test(String(protocolVersion))
    this.#revision = isRevision ? String(protocolVersion) : REVISION
    const method = 'notifications/initialized'
    await this.#post(this.#headersFor(method), JSON.stringify({ jsonrpc: '2.0', method }))
  }

  async #list(): Promise<readonly UpstreamTool[]> {
    const tools = new Map<string, UpstreamTool>()
    const cursors = new Set<unknown>()
    let cursor: unknown
    let toldLength = 0
    for (let page = 0; page < MAX_LIST_PAGES; page++) {
      const answer = await this.#ask('tools/list', typeof cursor === 'string' ? { cursor } : {})
      for (const tool of toolsIn(answer)) {
        if (tools.size === MAX_TOOLS) break
        if (tools.has(tool.name) || !this.#isLetThrough(tool)) continue
        toldLength += JSON.stringify(tool.told).length
        tools.set(tool.name, toldLength > MAX_TOLD_LENGTH ? { ...tool, told: undefined } : tool)
      }
      cursor = answer.nextCursor
      if (typeof cursor !== 'string' || cursors.has(cursor) || tools.size === MAX_TOOLS) break
      cursors.add(cursor)
    }
    return [...tools.values()]
  }

  #isLetThrough({ name, isReadOnly }: UpstreamTool): boolean {
    const { include, exclude = [], canWrite } = this.#api
    const matches = (pattern: string) =>
      matchesGlob(pattern, name) || matchesGlob(pattern, luaName(name))
    if (include && !include.some(matches)) return false
    if (exclude.some(matches)) return false
    return canWrite === true || isReadOnly
  }

  /** Sessions end when a server likes: then it is greeted anew, once. */
  async #ask(method: string, params: object): Promise<Fields> {
    const session = this.#session
    try {
      return await this.#exchange(method, params)
    } catch (error) {
      const isOver = error instanceof ApiError && error.details.status === 404
      if (!isOver || session === undefined) throw error
      // Calls that run side by side find out together.
      if (this.#session === session) this.#greeting = this.#greet()
      await this.#greeting
      return this.#exchange(method, params)
    }
  }

  async #exchange(method: string, params: object): Promise<Fields> {
    const id = ++this.#lastId
    const all = this.#revision === WITHOUT_GREETING ? { ...params, _meta: META } : params
    const text = stringifyExact({ jsonrpc: '2.0', id, method, params: all })
    const headers = this.#headersFor(method, 'name' in params ? String(params.name) : undefined)
    const answer = await this.#post(headers, text, untilAnswered(id))
    const messages = messagesIn(answer)
    const message = messages.find((candidate) => candidate.id === id)
    if (method === 'initialize' && message && namesRevision(message, WITHOUT_GREETING)) {
      return { protocolVersion: WITHOUT_GREETING }
    }
    if (answer.status >= 300 || !message) throw this.#unanswered(answer, messages)
    if (method === 'initialize') this.#session = answer.headers.get('Mcp-Session-Id') ?? undefined
    if (message.error === undefined) return fieldsOf(message.result)
    const said = saidIn(message)
    throw new ApiError('tool_error', `${this.#api.name}: ${said || 'the server refused'}`)
  }

  #unanswered({ status, statusText }: ReceivedAnswer, messages: readonly Fields[]): ApiError {
    const { name } = this.#api
    if (status < 300) {
      const what = `${name}: the server answered without a message of the protocol`
      return new ApiError('invalid_answer', what, { status })
    }
    const said = messages.map(saidIn).find((text) => text !== '')
    const what = [status, statusText].filter(Boolean).join(' ')
    return new ApiError('http_error', `${name}: ${what}${said ? `: ${said}` : ''}`, { status })
  }

  #headersFor(method: string, name?: string): Record<string, string> {
    return {
      Accept: 'application/json, text/event-stream',
      ...(this.#session !== undefined && { 'Mcp-Session-Id': this.#session }),
      ...(this.#revision !== undefined && { 'MCP-Protocol-Version': this.#revision }),
      ...(this.#revision === WITHOUT_GREETING && { 'Mcp-Method': method }),
      ...(this.#revision === WITHOUT_GREETING &&
        name !== undefined &&
        isHeaderText(name) && { 'Mcp-Name': name }),
    }
  }
}

/** Whether a refusal says which revision it would be. */
function namesRevision({ error }: Fields, revision: string): boolean {
  const { supported } = fieldsOf(fieldsOf(error).data)
  return Array.isArray(supported) && supported.includes(revision)
}

function saidIn({ error }: Fields): string {
  const { message } = fieldsOf(error)
  return typeof message === 'string' ? message.slice(0, MAX_TEXT) : ''
}

function unknownTool(api: ApiInfo, asked: string, tools: readonly UpstreamTool[]): ApiError {
  const names = tools.map(({ name }) => luaName(name))
  const there = names.length > 0 ? `; there are ${names.slice(0, 12).join(', ')}` : ''
  const near = didYouMean(asked, names) || there
  const message = `${api.name}: the server has no tool ${quoted(asked)} for scripts${near}`
  return new ApiError('invalid_arguments', message)
}
