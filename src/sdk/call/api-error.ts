/** A failed call, as the error table that Lua sees. */
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

export interface ApiErrorDetails {
  readonly status?: number | undefined
  /** Decoded JSON, or the first part of a text body. */
  readonly body?: unknown
  /** Seconds. */
  readonly retryAfter?: number | undefined
}

/** Reports a bad argument. */
export type Refuse = (problem: string) => never

/** @param name The function that was called. */
export function refuser(name: string): Refuse {
  return (problem) => {
    throw new ApiError('invalid_arguments', `${name}: ${problem}`)
  }
}

/** Never contains a secret, or a URL with its query. */
export class ApiError extends Error {
  readonly code: ApiErrorCode
  readonly details: ApiErrorDetails

  constructor(code: ApiErrorCode, message: string, details: ApiErrorDetails = {}) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.details = details
  }

  toText(): string {
    const { code, message } = this
    const { status, body, retryAfter } = this.details
    return stringifyExact({ status, code, message, body, retry_after: retryAfter })
  }
}
