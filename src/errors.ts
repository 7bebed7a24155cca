/**
 * The failures this service reports on purpose.
 *
 * Nothing here knows about HTTP, MCP or Lua: each of those maps a code to its own
 * vocabulary at its own edge. Any other exception is a bug and is reported as one.
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
  | 'rate_limited'
  | 'storage_unavailable'
  | 'too_large'
  | 'unauthenticated'

/** A failure with a stable code, whose message the caller may read. */
export class AppError extends Error {
  readonly code: ErrorCode

  /** @param message Shown to the caller: never a token, an object key or a host path. */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    // Not the class's own: names of classes do not survive every build.
    this.name = 'AppError'
    this.code = code
  }
}

/** Every sentence a refused path may give, in the order in which they take precedence. */
export type PathFault =
  | 'path cannot be empty'
  | 'path cannot contain null bytes'
  | 'path must be relative'
  | "path cannot contain '..' traversal"
  | `path is not valid: ${string}`
  | 'path is not allowed'

/** A path the gate refused; scripts and callers see the sentence as it is. */
export class InvalidPath extends AppError {
  constructor(fault: PathFault, options?: ErrorOptions) {
    super('invalid_path', fault, options)
  }
}

/** Nobody said who is calling; unlike a bad token, there is nothing to call invalid. */
export class MissingToken extends AppError {
  constructor() {
    super('unauthenticated', 'A bearer token is required.')
  }
}

/** A good token that does not allow this; its owner could ask for one that does. */
export class InsufficientScope extends AppError {
  /** Everything the request needs, separated by spaces. */
  readonly scope: string

  constructor(missing: string, needed: readonly string[] = [missing]) {
    super('forbidden', `The token lacks the scope "${missing}".`)
    this.scope = needed.join(' ')
  }
}
