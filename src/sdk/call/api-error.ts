/** A call that failed, as the table that is raised in Lua. */
import { stringifyExact } from './exact-json.ts'

/** Stable, documented and safe to switch on in scripts. */
export type ApiErrorCode =
  | 'http_error'
  | 'invalid_answer'
  | 'invalid_arguments'
  | 'network'
  | 'not_allowed'
  | 'redirect'
  | 'timeout'
  | 'too_large'
  | 'tool_error'
  | 'unauthorized'

/** What is known beside the message. */
export interface ApiErrorDetails {
  readonly status?: number | undefined
  /** As the API sent it: decoded JSON, or the beginning of a text. */
  readonly body?: unknown
  /** Seconds. */
  readonly retryAfter?: number | undefined
}

/** Never holds a secret, nor an address with its query. */
export class ApiError extends Error {
  readonly code: ApiErrorCode
  readonly details: ApiErrorDetails

  constructor(code: ApiErrorCode, message: string, details: ApiErrorDetails = {}) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.details = details
  }

  /** The table's fields as JSON text. */
  toText(): string {
    const { code, message } = this
    const { status, body, retryAfter } = this.details
    return stringifyExact({ status, code, message, body, retry_after: retryAfter })
  }
}
