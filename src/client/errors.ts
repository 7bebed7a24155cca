/** What the client throws. */
import type { ErrorCode } from '../errors.ts'
import type { RunAnswer } from './run-types.ts'

/** `unreachable`: no response came. `unexpected`: it was not one of this service. */
export type MoonbucketErrorCode =
  | ErrorCode
  | 'internal'
  | 'precondition_failed'
  | 'range_not_satisfiable'
  | 'unexpected'
  | 'unreachable'

export interface ErrorDetails {
  readonly code: MoonbucketErrorCode
  readonly status: number
  readonly requestId?: string | undefined
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** A request that was refused, or got no response. */
export class MoonbucketError extends Error {
  /** Stable: switch on it. */
  readonly code: MoonbucketErrorCode
  /** 0 without a response. */
  readonly status: number
  /** Names the request in the service's log. */
  readonly requestId: string | undefined
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | undefined

  constructor(message: string, { code, status, requestId, retryAfter, cause }: ErrorDetails) {
    super(message, { cause })
    // Set explicitly: bundling may rename classes.
    this.name = 'MoonbucketError'
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

/** Thrown by {@link orThrow}. */
export class ScriptFailed extends Error {
  /** With the logs, and the files that were stored. */
  readonly answer: RunAnswer

  constructor(message: string, answer: RunAnswer) {
    super(message)
    this.name = 'ScriptFailed'
    this.answer = answer
  }
}

/** The answer of a script that succeeded. @throws {ScriptFailed} */
export function orThrow<Answer extends RunAnswer>(answer: Answer): Answer {
  if (answer.error) throw new ScriptFailed(answer.error.message, answer)
  return answer
}

/** `/fs` has its own error format, and proxies may have none. */
export async function errorOf(response: Response): Promise<MoonbucketError> {
  const { status, headers } = response
  const body = (await response.json().catch(() => null)) as FailureBody | null
  const failure = typeof body?.error === 'string' ? { ...body, message: body.error } : body?.error
  const requestId = headers.get('X-Request-Id') ?? undefined
  const after = headers.get('Retry-After')
  const retryAfter = after !== null && /^\d+$/.test(after) ? Number(after) : undefined
  const { code = 'unexpected', message = `The service answered with status ${status}.` } =
    failure ?? {}
  return new MoonbucketError(message, { code, status, requestId, retryAfter })
}

interface Failure {
  readonly code?: MoonbucketErrorCode
  readonly message?: string
}

interface FailureBody extends Failure {
  readonly error?: string | Failure | null
}
