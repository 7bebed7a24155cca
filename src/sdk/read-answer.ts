/** Makes of an answer what a script gets: decoded data, a string, nothing, a file, or an error. */
import type { ApiAnswer, ApiFiles } from '../vm/script-apis.ts'
import { ApiError } from './api-error.ts'
import type { CallEntry } from './catalog.ts'
import { essence, isJson } from './request-body.ts'
import { retryAfterMs, type ReceivedAnswer } from './send.ts'

/** Of an error's text that a script is shown. */
const MAX_ERROR_CHARACTERS = 4000
const MAX_MESSAGE_CHARACTERS = 300
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
  if (saveTo !== undefined) {
    await files.save(saveTo, bytes)
    const saved = { path: saveTo, bytes: bytes.length, content_type: essence(contentType), status }
    return { kind: 'json', bytes: new TextEncoder().encode(JSON.stringify(saved)) }
  }
  if (bytes.length === 0) return { kind: 'nothing' }
  if (isJson(contentType)) return { kind: 'json', bytes }
  if (entry.returns !== undefined && essence(contentType) === 'text/html') {
    const body = textOf(bytes).slice(0, MAX_ERROR_CHARACTERS)
    const message = `${name}: the API answered with a web page instead of data`
    throw new ApiError('invalid_answer', message, { status, body })
  }
  return { kind: 'bytes', bytes }
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

function bodyOf(bytes: Uint8Array, contentType: string): unknown {
  const text = textOf(bytes)
  if (isJson(contentType)) {
    try {
      return JSON.parse(text) as unknown
    } catch {
      // Said to be JSON and is not: the text is all there is to show.
    }
  }
  return text === '' ? undefined : text.slice(0, MAX_ERROR_CHARACTERS)
}

function messageIn(body: unknown): string | undefined {
  if (typeof body === 'string') return undefined
  if (typeof body !== 'object' || body === null) return undefined
  for (const field of MESSAGE_FIELDS) {
    const value = (body as Record<string, unknown>)[field]
    if (typeof value === 'string') return value.slice(0, MAX_MESSAGE_CHARACTERS)
    const inner = Array.isArray(value) ? messageIn(value[0]) : messageIn(value)
    if (inner !== undefined) return inner
  }
  return undefined
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
