/** Reads messages of the Model Context Protocol that another server sent: whatever they hold, nobody checked it. */
import { ApiError } from '../call/api-error.ts'
import { describeTool, type ToolDescription } from './describe-tool.ts'
import { findJson } from '../call/exact-json.ts'
import { fieldsOf, type Fields } from '../pages/page-fields.ts'
import type { OnBytes } from '../call/read-capped.ts'
import { essence } from '../call/request-body.ts'
import type { ReceivedAnswer } from '../call/send.ts'

const MAX_TEXT = 1000

/** A tool of the other server, as far as it matters here. */
export interface UpstreamTool {
  readonly name: string
  readonly isReadOnly: boolean
  /** Absent where a server says more about its tools than is kept. */
  readonly told?: ToolDescription | undefined
}

/** Names may have 128 characters. */
const MAX_NAME_LENGTH = 128

/** All objects that an answer holds, as JSON or as events. */
export function messagesIn({ headers, bytes }: ReceivedAnswer): Fields[] {
  if (!isStream(headers)) return objectsIn(new TextDecoder().decode(bytes))
  const messages: Fields[] = []
  const take = eventReader((data) => {
    for (const message of objectsIn(data)) messages.push(message)
  })
  take(bytes)
  // A stream that was cut short may lack the end of its last event.
  take(new TextEncoder().encode('\n\n'))
  return messages
}

/** Ends the reading of events with the answer to a message: some servers leave the stream open. */
export function untilAnswered(id: number): (headers: Headers) => OnBytes {
  return (headers) => {
    let isAnswered = false
    const take = eventReader((data) => {
      isAnswered ||= objectsIn(data).some((message) => message.id === id)
    })
    return (piece) => {
      if (isStream(headers)) take(piece)
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
    return [{ name, isReadOnly, told: describeTool(definition) }]
  })
}

/** What a tool answers: its data, else its text. @throws {ApiError} `tool_error`. */
export function resultOf(name: string, result: Fields): unknown {
  const texts = listOf(result.content).flatMap((part) => {
    const { type, text } = fieldsOf(part)
    return type === 'text' && typeof text === 'string' ? [text] : []
  })
  if (result.isError === true) {
    const said = texts.join('\n').slice(0, MAX_TEXT)
    const body = result.structuredContent ?? texts
    throw new ApiError('tool_error', `${name}: ${said || 'the tool failed'}`, { body })
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

/** Tells the data of each event, in time that grows with the text however it is cut into pieces. */
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
