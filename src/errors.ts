/**
 * Errors this service reports on purpose. HTTP, MCP and Lua map the codes at their own edges. Any
 * other exception is a bug.
 */

/** Stable, documented and safe to switch on. Removing one is a breaking change. */
export type ErrorCode =
  | 'busy'
  | 'conflict'
  | 'forbidden'
  | 'invalid_path'
  | 'invalid_request'
  | 'keys_unavailable'
  | 'malformed'
  | 'not_found'
  | 'quota_exceeded'
  | 'rate_limited'
  | 'storage_unavailable'
  | 'too_large'
  | 'unauthenticated'

/** What callers see of any other error. */
export const INTERNAL_ERROR = 'Something went wrong on our side.'

export class AppError extends Error {
  readonly code: ErrorCode

  /** @param message Shown to the caller: never a token, an object key or a host path. */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    // Set explicitly: bundling may rename classes.
    this.name = 'AppError'
    this.code = code
  }
}

/** The same request may succeed later. */
export class RetryLater extends AppError {
  readonly afterS: number

  constructor(code: ErrorCode, message: string, afterS: number) {
    super(code, message)
    this.afterS = afterS
  }
}

/** The tenant's files take all the room they may; scripts see the message too. */
export class QuotaExceeded extends AppError {
  constructor(message: string) {
    super('quota_exceeded', message)
  }
}

/** All path errors, in order of precedence. */
export type PathFault =
  | 'path cannot be empty'
  | 'path cannot contain null bytes'
  | 'path must be relative'
  | "path cannot contain '..' traversal"
  | `path is not valid: ${string}`
  | 'path is not allowed'

/** Shown to scripts and callers. */
export class InvalidPath extends AppError {
  constructor(fault: PathFault, options?: ErrorOptions) {
    super('invalid_path', fault, options)
  }
}

const DENIALS = new Set<ErrorCode>([
  'unauthenticated',
  'forbidden',
  'rate_limited',
  'quota_exceeded',
])
const OUTSIDE: PathFault = 'path is not allowed'

/** Whether a caller asked for something, or for more, than it may have, and not by mistake. */
export function isDenial(error: AppError): boolean {
  return DENIALS.has(error.code) || (error instanceof InvalidPath && error.message === OUTSIDE)
}

/** A person's mistake at the command line; the message is one line. */
export class UsageError extends Error {}

/** No token; unlike a bad one, there is nothing to call invalid. */
export class MissingToken extends AppError {
  constructor() {
    super('unauthenticated', 'A bearer token is required.')
  }
}

/** A valid token without the needed scope. */
export class InsufficientScope extends AppError {
  /** All needed scopes, separated by spaces. */
  readonly scope: string

  constructor(missing: string, needed: readonly string[] = [missing]) {
    super('forbidden', `The token lacks the scope "${missing}".`)
    this.scope = needed.join(' ')
  }
}
