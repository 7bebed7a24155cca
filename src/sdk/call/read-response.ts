/** Turns an HTTP response into a script's result: data, string, nothing or error. */
import type { ApiResult } from '../../vm/library/library-host.ts'
import { ApiError } from './api-error.ts'
import type { CallEntry } from '../catalog/catalog.ts'
import { findJson, stringifyExact } from './exact-json.ts'
import { essence, isJsonType } from './request-body.ts'
import { retryAfterMs } from './retry-pause.ts'
import type { ApiResponse } from './send.ts'

const MAX_ERROR_CHARACTERS = 4000
/** Longer error bodies are not parsed. */
const MAX_ERROR_JSON_CHARACTERS = 65_536
const MAX_MESSAGE_CHARACTERS = 300
const MAX_MESSAGE_LEVELS = 4
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
/** Fields in which APIs put the error message. */
const MESSAGE_FIELDS = ['message', 'error_description', 'detail', 'error', 'title', 'errors']

/** @throws {ApiError} unless the status is 2xx, or for HTML where data was declared. */
export function readResponse(name: string, entry: CallEntry, answer: ApiResponse): ApiResult {
  const { status, bytes, headers } = answer
  if (!isSuccess(answer)) throw httpError(name, answer)
  const contentType = headers.get('Content-Type') ?? ''
  if (bytes.length === 0) return { kind: 'nothing' }
  if (isJsonType(contentType)) return { kind: 'json', bytes: withoutByteOrderMark(bytes) }
  if (entry.returns !== undefined && essence(contentType) === 'text/html') {
    const body = textOf(bytes).slice(0, MAX_ERROR_CHARACTERS)
    const message = `${name}: the API returned HTML instead of data`
    throw new ApiError('invalid_answer', message, { status, body })
  }
  return { kind: 'bytes', bytes }
}

export function isSuccess({ status }: { readonly status: number }): boolean {
  return status >= 200 && status < 300
}

export function jsonResult(value: unknown): ApiResult & { readonly kind: 'json' } {
  return { kind: 'json', bytes: new TextEncoder().encode(stringifyExact(value)) }
}

function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? bytes.subarray(3) : bytes
}

export function httpError(
  name: string,
  { status, statusText, headers, bytes }: ApiResponse,
): ApiError {
  const body = bodyOf(bytes, headers.get('Content-Type') ?? '')
  const detail = messageIn(body)
  const what = [status, statusText].filter(Boolean).join(' ')
  const waitMs = retryAfterMs(headers)
  return new ApiError('http_error', `${name}: ${what}${detail ? `: ${detail}` : ''}`, {
    status,
    body,
    retryAfter: waitMs === undefined ? undefined : Math.ceil(waitMs / 1000),
  })
}

/** Invalid or oversized JSON is shown as text. */
function bodyOf(bytes: Uint8Array, contentType: string): unknown {
  const text = textOf(bytes)
  const isData = isJsonType(contentType) && text.length <= MAX_ERROR_JSON_CHARACTERS
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
