/** Makes of an answer what a script gets: decoded data, a string, nothing, a file, or an error. */
import type { ApiAnswer, ApiFiles } from '../../vm/library/script-apis.ts'
import { ApiError } from './api-error.ts'
import type { CallEntry } from '../catalog/catalog.ts'
import { findJson, stringifyExact } from './exact-json.ts'
import { essence, isJson } from './request-body.ts'
import { retryAfterMs } from './retry-after.ts'
import type { ReceivedAnswer } from './send.ts'

/** Of an error's text that a script is shown. */
const MAX_ERROR_CHARACTERS = 4000
/** A longer body says nothing that a script could use. */
const MAX_ERROR_JSON_CHARACTERS = 65_536
const MAX_MESSAGE_CHARACTERS = 300
const MAX_MESSAGE_LEVELS = 4
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
/** Where APIs say what went wrong. */
const MESSAGE_FIELDS = ['message', 'error_description', 'detail', 'error', 'title', 'errors']

/** @throws {ApiError} for every status but 2xx, and for a page where data was promised. */
export async function readAnswer(
  name: string,
  entry: CallEntry,
  answer: ReceivedAnswer,
  files: ApiFiles,
  saveTo: string | undefined,
): Promise<ApiAnswer> {
  const { status, bytes, headers } = answer
  if (status < 200 || status >= 300) throw httpError(name, answer)
  const contentType = headers.get('Content-Type') ?? ''
  if (saveTo !== undefined) return savedAnswer(files, saveTo, bytes, contentType, status)
  if (bytes.length === 0) return { kind: 'nothing' }
  if (isJson(contentType)) return { kind: 'json', bytes: withoutMark(bytes) }
  if (entry.returns !== undefined && essence(contentType) === 'text/html') {
    const body = textOf(bytes).slice(0, MAX_ERROR_CHARACTERS)
    const message = `${name}: the API answered with a web page instead of data`
    throw new ApiError('invalid_answer', message, { status, body })
  }
  return { kind: 'bytes', bytes }
}

/** The bytes become a file, and the script is told which. */
export async function savedAnswer(
  files: ApiFiles,
  path: string,
  bytes: Uint8Array,
  contentType: string,
  status: number,
): Promise<ApiAnswer> {
  await files.save(path, bytes)
  const saved = { path, bytes: bytes.length, content_type: essence(contentType), status }
  return jsonAnswer(saved)
}

/** A value of ours, or one that was decoded on the way. */
export function jsonAnswer(value: unknown): ApiAnswer {
  return { kind: 'json', bytes: new TextEncoder().encode(stringifyExact(value)) }
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? bytes.subarray(3) : bytes
}

function httpError(name: string, { status, statusText, headers, bytes }: ReceivedAnswer): ApiError {
  const body = bodyOf(bytes, headers.get('Content-Type') ?? '')
  const said = messageIn(body)
  const what = [status, statusText].filter(Boolean).join(' ')
  const waitMs = retryAfterMs(headers)
  return new ApiError('http_error', `${name}: ${what}${said ? `: ${said}` : ''}`, {
    status,
    body,
    retryAfter: waitMs === undefined ? undefined : Math.ceil(waitMs / 1000),
  })
}

/** JSON that is none, or that scripts could not take, is shown as the text it is. */
function bodyOf(bytes: Uint8Array, contentType: string): unknown {
  const text = textOf(bytes)
  const isData = isJson(contentType) && text.length <= MAX_ERROR_JSON_CHARACTERS
  const body = isData ? findJson(text) : undefined
  return body ?? (text === '' ? undefined : text.slice(0, MAX_ERROR_CHARACTERS))
}

function messageIn(body: unknown, level = 0): string | undefined {
  if (typeof body !== 'object' || body === null || level > MAX_MESSAGE_LEVELS) return undefined
  for (const field of MESSAGE_FIELDS) {
    const value = (body as Record<string, unknown>)[field]
    const first: unknown = Array.isArray(value) ? value[0] : value
    if (typeof first === 'string') return first.slice(0, MAX_MESSAGE_CHARACTERS)
    const inner = messageIn(first, level + 1)
    if (inner !== undefined) return inner
  }
  return undefined
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
