/** Other MCP servers as APIs of a script: a small client of the streamable HTTP transport. */
import { VERSION } from '../version.ts'
import { ApiError } from './api-error.ts'
import type { ApiInfo } from './catalog.ts'
import { matchesGlob } from './glob.ts'
import { didYouMean } from './nearest.ts'
import { essence } from './request-body.ts'
import type { ReceivedAnswer } from './send.ts'

/** What most servers speak; each answers with the revision it settles for. */
const REVISION = '2025-11-25'
const MAX_LIST_PAGES = 20

/** Sends one message with the API's credential, within the run's budget. */
export type PostMessage = (
  headers: Readonly<Record<string, string>>,
  message: string,
) => Promise<ReceivedAnswer>

/** A tool of the other server, as far as it matters here. */
export interface UpstreamTool {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema?: unknown
  readonly annotations?: { readonly readOnlyHint?: boolean } | undefined
}

interface ToolResult {
  readonly structuredContent?: unknown
  readonly content?: readonly { readonly type?: string; readonly text?: string }[]
  readonly isError?: boolean
}

/** One per run and server: it greets the server once, and knows its tools from then on. */
export class UpstreamServer {
  readonly #api: ApiInfo
  readonly #post: PostMessage
  #lastId = 0
  #headers: Record<string, string> = { Accept: 'application/json, text/event-stream' }
  #tools: Promise<readonly UpstreamTool[]> | undefined

  constructor(api: ApiInfo, post: PostMessage) {
    this.#api = api
    this.#post = post
  }

  /** Those the operator lets through. */
  tools(): Promise<readonly UpstreamTool[]> {
    return (this.#tools ??= this.#greet().then(() => this.#list()))
  }

  /** What the tool answers: its data, else its text. @throws {ApiError} */
  async call(asked: string, args: unknown): Promise<unknown> {
    const tools = await this.tools()
    const name = `${this.#api.name}.${asked}`
    const tool =
      tools.find((candidate) => candidate.name === asked) ??
      tools.find((candidate) => luaName(candidate.name) === asked)
    if (!tool) {
      const near = didYouMean(
        asked,
        tools.map((candidate) => luaName(candidate.name)),
      )
      throw new ApiError('invalid_arguments', `${name}: the server has no such tool${near}`)
    }
    const result = (await this.#ask('tools/call', {
      name: tool.name,
      arguments: args,
    })) as ToolResult
    const texts = (result.content ?? []).flatMap(({ type, text }) =>
      type === 'text' && text !== undefined ? [text] : [],
    )
    if (result.isError) {
      throw new ApiError(
        'tool_error',
        `${name}: ${texts.join('\n').slice(0, 1000) || 'the tool failed'}`,
        { body: result.structuredContent ?? texts },
      )
    }
    if (result.structuredContent !== undefined) return result.structuredContent
    const [only] = texts
    return texts.length === 1 ? dataOrText(only!) : texts
  }

  async #greet(): Promise<void> {
    const clientInfo = { name: 'moonbucket', version: VERSION }
    const hello = { protocolVersion: REVISION, capabilities: {}, clientInfo }
    const answer = (await this.#ask('initialize', hello)) as { protocolVersion?: unknown }
    this.#headers['MCP-Protocol-Version'] = String(answer.protocolVersion ?? REVISION)
    await this.#post(
      this.#headers,
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    )
  }

  async #list(): Promise<readonly UpstreamTool[]> {
    const tools: UpstreamTool[] = []
    let cursor: unknown
    for (let page = 0; page < MAX_LIST_PAGES; page++) {
      const answer = (await this.#ask('tools/list', cursor === undefined ? {} : { cursor })) as {
        tools?: UpstreamTool[]
        nextCursor?: unknown
      }
      tools.push(...(answer.tools ?? []))
      cursor = answer.nextCursor
      if (cursor === undefined || cursor === null) break
    }
    return tools.filter((tool) => this.#isLetThrough(tool))
  }

  #isLetThrough({ name, annotations }: UpstreamTool): boolean {
    const { include, exclude = [], canWrite } = this.#api
    const matches = (pattern: string) =>
      matchesGlob(pattern, name) || matchesGlob(pattern, luaName(name))
    if (include && !include.some(matches)) return false
    if (exclude.some(matches)) return false
    return canWrite === true || annotations?.readOnlyHint === true
  }

  async #ask(method: string, params: object): Promise<unknown> {
    const id = ++this.#lastId
    const answer = await this.#post(
      this.#headers,
      JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    )
    const session = answer.headers.get('Mcp-Session-Id')
    if (session !== null) this.#headers['Mcp-Session-Id'] = session
    const message = messagesIn(answer).find((candidate) => candidate.id === id)
    if (message?.error) {
      const said = String(message.error.message ?? '').slice(0, 300)
      throw new ApiError('tool_error', `${this.#api.name}: ${said}`, { status: answer.status })
    }
    if (!message) {
      const what = `${this.#api.name}: the server answered ${answer.status} without a message of the protocol`
      throw new ApiError('invalid_answer', what, { status: answer.status })
    }
    return message.result ?? {}
  }
}

interface Message {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly message?: unknown }
}

/** Tools may be called after any taste; in Lua a name has letters, digits and underscores. */
function luaName(name: string): string {
  return name.replace(/\W+/g, '_')
}

function messagesIn({ headers, bytes }: ReceivedAnswer): Message[] {
  const text = new TextDecoder().decode(bytes)
  const isStream = essence(headers.get('Content-Type') ?? '') === 'text/event-stream'
  return (isStream ? eventsIn(text) : [text]).flatMap((data) => {
    try {
      const parsed = JSON.parse(data) as Message | Message[] | null
      return Array.isArray(parsed) ? parsed : (parsed ?? [])
    } catch {
      // Not a message of the protocol: whoever waits for one finds none.
      return []
    }
  })
}

function eventsIn(text: string): string[] {
  return text.split(/\r?\n\r?\n/).map((event) =>
    event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).replace(/^ /, ''))
      .join('\n'),
  )
}

function dataOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
