/** `/mcp` as clients of each protocol revision use it: requests, and how answers are read. */
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import { expect } from 'vitest'
import {
  makeApp,
  ORIGIN,
  type Answer,
  type Claims,
  type MakeAppOptions,
} from '../support/make-app.ts'
import { collect, readEvents } from '../support/read-events.ts'

/** Without a session each, and the one without a handshake. */
export const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'] as const

export type Revision = (typeof REVISIONS)[number]

/** When the scripts of {@link makeRuns} run. */
export const RUNS_AT = new Date('2026-11-16T09:00:00Z')

export const MODERN = '2026-07-28'
export const ADDRESS = `${ORIGIN}/mcp`

type Fields = Readonly<Record<string, unknown>>

/** One JSON-RPC message, as far as the tests look at it. */
export interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Fields
  readonly result?: Fields
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** What may differ from an ordinary request. */
export interface AskOptions {
  readonly revision?: Revision
  readonly claims?: Claims
  /** Added to those a client sends; `undefined` takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly progressToken?: string | number
  readonly signal?: AbortSignal
}

/** A block of a tool's answer. */
interface Block {
  readonly type: string
  readonly text?: string
  readonly uri?: string
  readonly name?: string
  readonly mimeType?: string
  readonly size?: number
}

/** What a tool answers. */
export interface ToolAnswer<Structured = Fields> {
  readonly structuredContent: Structured
  readonly content: readonly Block[]
  readonly isError?: boolean
}

/** A tool as `tools/list` tells of it. */
export interface Definition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Fields
  readonly outputSchema: Fields
  readonly annotations: Fields
}

/** A request as a client of the revision writes it. */
export function requestOf(
  method: string,
  params: Fields = {},
  { revision = MODERN, progressToken }: AskOptions = {},
  id: unknown = 1,
) {
  const meta = {
    ...(progressToken !== undefined && { progressToken }),
    ...(revision === MODERN && {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }),
  }
  const hasMeta = Object.keys(meta).length > 0
  return { jsonrpc: '2.0', id, method, params: { ...params, ...(hasMeta && { _meta: meta }) } }
}

/** What a client of the revision sends beside the body. */
export function headersOf(
  revision: Revision,
  method: string,
  params: Fields = {},
): Record<string, string> {
  const name = method === 'resources/read' ? params.uri : params.name
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': revision,
    ...(revision === MODERN && {
      'Mcp-Method': method,
      ...(typeof name === 'string' && { 'Mcp-Name': headerValue(name) }),
    }),
  }
}

/** As it is, or in base64 where a header could not hold it. */
function headerValue(text: string): string {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(text)) return text
  const bytes = new TextEncoder().encode(text)
  return `=?base64?${btoa(String.fromCharCode(...bytes))}?=`
}

/** Every message of an answer, be it one or a stream of events. */
export async function messagesOf(response: Response): Promise<Message[]> {
  const type = response.headers.get('Content-Type') ?? ''
  if (type.startsWith('text/event-stream')) return collect(readMessages(response))
  const text = await response.text()
  return text === '' ? [] : [JSON.parse(text)].flat()
}

/** Message by message, as they come. */
export async function* readMessages(response: Response): AsyncGenerator<Message> {
  for await (const [name, data] of readEvents(response)) {
    if (name === 'message') yield data as Message
  }
}

/** An app with short forms for what the tests say over and over. */
export async function makeMcp(settings: MakeAppOptions = {}) {
  const made = await makeApp(settings)
  const { app, tokenOf, leaks } = made

  /** Sends texts, bytes and streams as they are, by default with a token and client headers. */
  async function send(body: unknown, options: AskOptions = {}): Promise<Response> {
    const { revision = MODERN, claims, signal } = options
    const { method = '', params = {} } = (body ?? {}) as Message
    const all: Record<string, string | undefined> = {
      ...headersOf(revision, method, params ?? {}),
      Authorization: `Bearer ${await tokenOf(claims)}`,
      ...options.headers,
    }
    const present = Object.entries(all).filter((header) => header[1] !== undefined)
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const isStream = body instanceof ReadableStream
    return app.request(
      new Request(ADDRESS, {
        method: 'POST',
        headers: present as [string, string][],
        body: isRaw || isStream ? body : JSON.stringify(body),
        ...(isStream && { duplex: 'half' }),
        ...(signal && { signal }),
      } as RequestInit),
    )
  }

  /** The answer to one request, whatever it is; one that refuses must not tell too much. */
  async function ask(method: string, params: Fields = {}, options: AskOptions = {}) {
    const response = await send(requestOf(method, params, options), options)
    const messages = await messagesOf(response)
    const answer = messages.at(-1)!
    if (answer?.error) leaks.assertSilent(method, answer.error.message)
    return { status: response.status, headers: response.headers, messages, answer }
  }

  /** The result of a request that succeeds. */
  async function result<T = Fields>(
    method: string,
    params: Fields = {},
    options: AskOptions = {},
  ): Promise<T> {
    const { status, answer } = await ask(method, params, options)
    expect({ status, error: answer.error }).toEqual({ status: 200, error: undefined })
    return answer.result as T
  }

  /** Code and message of a request that the protocol itself refuses. */
  async function fault(method: string, params: Fields = {}, options: AskOptions = {}) {
    const { answer } = await ask(method, params, options)
    expect(answer.result).toBeUndefined()
    return [answer.error!.code, answer.error!.message] as const
  }

  let definitions: Promise<readonly Definition[]> | undefined

  /** Every tool, as a client learns of it. */
  async function tools(): Promise<readonly Definition[]> {
    definitions ??= result<{ tools: Definition[] }>('tools/list').then((list) => list.tools)
    return definitions
  }

  /** Holds what a tool answered against what it promised. */
  async function assertAsPromised(name: string, { structuredContent }: ToolAnswer<unknown>) {
    if (structuredContent === undefined) return
    const schema = (await tools()).find((tool) => tool.name === name)!.outputSchema
    const check = new CfWorkerJsonSchemaValidator().getValidator(schema)(structuredContent)
    expect(check.errorMessage).toBeUndefined()
  }

  /** What a tool answers, also when it refuses; it fits the schema that the tool has. */
  async function call<Structured = Fields>(
    name: string,
    args: unknown = {},
    options: AskOptions = {},
  ): Promise<ToolAnswer<Structured>> {
    const params = { name, arguments: args }
    const answer = await result<ToolAnswer<Structured>>('tools/call', params, options)
    await assertAsPromised(name, answer)
    if (answer.isError) leaks.assertSilent(name, answer.content[0]!.text!.split('\n')[0]!)
    return answer
  }

  return { ...made, send, ask, result, fault, tools, call }
}

/** An app with a fixed clock, whose scripts are called by `execute_script`. */
export async function makeRuns<Told = Answer>(options: MakeAppOptions = {}) {
  const made = await makeMcp({ now: () => RUNS_AT, ...options })
  const script = (text: string, input: object = {}, ask: AskOptions = {}) =>
    made.call<Told>('execute_script', { script: text, ...input }, ask)
  return { ...made, script }
}
