/** Parses untrusted messages of an upstream MCP server. */
import { ApiError } from '../call/api-error.ts'
import { findJson } from '../call/exact-json.ts'
import { fieldsOf, type Fields } from '../pages/page-fields.ts'
import type { OnBytes } from '../call/read-capped.ts'
import type { ApiResponse } from '../call/send.ts'
import { essence } from '../call/request-body.ts'
import type { ParamEntry } from '../catalog/catalog.ts'
import {
  firstSentence,
  plainText,
  schemaFields,
  schemaText,
  type SchemaField,
} from '../catalog/schema-text.ts'

const MAX_TEXT = 1000

export interface UpstreamTool {
  readonly name: string
  readonly isReadOnly: boolean
  /** Dropped when a server's descriptions exceed the limit. */
  readonly docs?: ToolDescription | undefined
}

const MAX_NAME_LENGTH = 128

/** All messages of a response, JSON or SSE. */
export function messagesIn({ headers, bytes }: ApiResponse): Fields[] {
  if (!isStream(headers)) return objectsIn(new TextDecoder().decode(bytes))
  const messages: Fields[] = []
  const feed = eventReader((data) => {
    for (const message of objectsIn(data)) messages.push(message)
  })
  feed(bytes)
  // A truncated stream may lack its last blank line.
  feed(new TextEncoder().encode('\n\n'))
  return messages
}

/** Stops reading at the response to `id`: some servers leave the stream open. */
export function untilAnswered(id: number): (headers: Headers) => OnBytes {
  return (headers) => {
    let isAnswered = false
    const feed = eventReader((data) => {
      isAnswered ||= objectsIn(data).some((message) => message.id === id)
    })
    return (piece) => {
      if (isStream(headers)) feed(piece)
      return isAnswered
    }
  }
}

export function toolsIn(result: Fields): UpstreamTool[] {
  return listOf(result.tools).flatMap((value) => {
    const definition = fieldsOf(value)
    const { name, annotations } = definition
    if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_LENGTH) return []
    const isReadOnly = fieldsOf(annotations).readOnlyHint === true
    return [{ name, isReadOnly, docs: describeTool(definition) }]
  })
}

/** Structured content, else text. @throws {ApiError} `tool_error`. */
export function resultOf(name: string, result: Fields): unknown {
  const texts = listOf(result.content).flatMap((part) => {
    const { type, text } = fieldsOf(part)
    return type === 'text' && typeof text === 'string' ? [text] : []
  })
  if (result.isError === true) {
    const text = texts.join('\n').slice(0, MAX_TEXT)
    const body = result.structuredContent ?? texts
    throw new ApiError('tool_error', `${name}: ${text || 'the tool failed'}`, { body })
  }
  if (result.structuredContent !== undefined) return result.structuredContent
  const [only, ...others] = texts
  if (only === undefined || others.length > 0) return texts
  return findJson(only) ?? only
}

function objectsIn(text: string): Fields[] {
  const parsed = findJson(text)
  return (Array.isArray(parsed) ? parsed : [parsed]).map(fieldsOf)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isStream(headers: Headers): boolean {
  return essence(headers.get('Content-Type') ?? '') === 'text/event-stream'
}

/** Incremental SSE parser; linear time however the text is chunked. */
function eventReader(onData: (data: string) => void): (piece: Uint8Array) => void {
  const decoder = new TextDecoder()
  let unfinished: string[] = []
  let data: string[] = []
  return (piece) => {
    const text = decoder.decode(piece, { stream: true })
    unfinished.push(text)
    if (!/[\r\n]/.test(text)) return
    const lines = unfinished.join('').split(/\r\n|\n|\r(?!$)/)
    unfinished = [lines.pop()!]
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
      if (line !== '') continue
      if (data.length > 0) onData(data.join('\n'))
      data = []
    }
  }
}

const MAX_SUMMARY = 120
const MAX_DESCRIPTION = 1000
const MAX_PARAM_DESCRIPTION = 160
const MAX_PARAM_NAME = 64
const SIGNATURE = { levels: 1, maxLength: 300 }
const RESULT = { levels: 1, maxLength: 100 }
/** For parameters whose type in the signature is just `object`. */
const INNER = { levels: 2, maxLength: 300 }

interface ToolDescription {
  readonly summary: string
  /** Empty if the summary says it all. */
  readonly description: string
  /** `{ query: string, limit?: integer } → { hits: object[] }` */
  readonly signature: string
  readonly params: readonly ParamEntry[]
}

/** @param definition From `tools/list`. */
export function describeTool(definition: Fields): ToolDescription {
  const { title, annotations, inputSchema, outputSchema } = definition
  const whole = plainText(definition.description, MAX_DESCRIPTION)
  const heading = whole || plainText(title ?? fieldsOf(annotations).title, MAX_SUMMARY)
  const summary = plainText(firstSentence(heading), MAX_SUMMARY)
  return {
    summary,
    description: summary === whole ? '' : whole,
    signature: toolSignature(inputSchema, outputSchema),
    params: schemaFields(inputSchema, inputSchema).map((field) => paramOf(field, inputSchema)),
  }
}

function toolSignature(input: unknown, output: unknown): string {
  const text = schemaText(input, input, SIGNATURE)
  const args = text.startsWith('{') ? text : '{}'
  if (output === undefined) return args
  return `${args} → ${schemaText(output, output, RESULT)}`
}

function paramOf({ name, isRequired, schema }: SchemaField, root: unknown): ParamEntry {
  const type = schemaText(schema, root, INNER)
  const text = plainText(fieldsOf(schema).description, MAX_PARAM_DESCRIPTION)
  const inner = type.includes('{') ? type : ''
  const description = [inner, text].filter(Boolean).join(' -- ')
  return {
    name: plainText(name, MAX_PARAM_NAME),
    in: 'query',
    type,
    ...(isRequired && { isRequired }),
    ...(description && { description }),
  }
}
