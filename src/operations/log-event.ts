/** Log events. They never contain a token, a secret or a script's source. */
import type { RedirectEvent } from '../sdk/call/send.ts'
import type { SignInMethod } from '../settings.ts'
import { operatorHint } from '../storage/errors.ts'

/** An admitted run, whatever its outcome. */
export interface RunEvent {
  readonly event: 'run'
  readonly request_id: string
  readonly tenant: string
  readonly user: string | null
  readonly script_sha256: string
  /** `ok`, or the kind of the script's error. */
  readonly outcome: string
  readonly fuel: number
  readonly ms: number
  /** Total size of the changed files that were stored. */
  readonly bytes: number
  readonly files: number
  /** Nothing was stored. */
  readonly plan?: true | undefined
}

/** By `AUDIT_PATHS`, the path or its hash; neither if it is not known. */
export interface AuditedPath {
  readonly path?: string | undefined
  readonly path_sha256?: string | undefined
}

/** A file or folder that a caller, a run or an upload link changed. */
export interface ChangeEvent extends AuditedPath {
  readonly event: 'change'
  readonly request_id: string
  readonly tenant: string
  readonly user: string | null
  /** What a run did to a file, the name of the operation, or `upload`. */
  readonly op: string
  /** By `AUDIT_PATHS`, where it was copied or moved from, or its hash. */
  readonly from?: string | undefined
  readonly from_sha256?: string | undefined
  /** Size of the file afterwards. */
  readonly bytes?: number | undefined
  /** Absent if it is certain: the store did not take it, or did not say so. */
  readonly outcome?: 'not_stored' | 'unclear' | undefined
}

/** A link that was made, or revoked. */
export interface LinkEvent extends AuditedPath {
  readonly event: 'link'
  readonly request_id: string
  readonly tenant: string
  readonly user: string | null
  /** The name of the operation. */
  readonly op: string
  readonly expires_at?: string | undefined
}

/** An API key that was made or revoked. */
interface KeyEvent {
  readonly event: 'key'
  readonly request_id: string
  readonly tenant: string
  readonly user: string | null
  /** The name of the operation. */
  readonly op: string
  readonly key_id: string
  /** Whose files a new key opens. */
  readonly key_user?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly expires_at?: string | undefined
}

/** A file or folder was opened through a link; the user is the one whose link it is. */
interface OpenedEvent extends AuditedPath {
  readonly event: 'opened'
  readonly request_id: string
  readonly tenant: string
  readonly user: string | null
  readonly op: 'get' | 'list'
}

/** A person let a host act for them, or a host renewed its token. */
interface SignInEvent {
  readonly event: 'sign_in'
  readonly request_id: string
  readonly tenant: string
  readonly user: string | null
  readonly op: 'allow' | 'refresh' | 'revoke'
  /** What the person signed in with. */
  readonly method: SignInMethod
  /** The address of its document, or the name that it gave itself; only with `allow`. */
  readonly client?: string | undefined
}

/** A file that was older than `KEEP_DAYS` allows. */
export interface ExpiredEvent extends AuditedPath {
  readonly event: 'expired'
  readonly request_id: 'none'
  /** As in keys: the sweep does not know the name. */
  readonly tenant_key: string
  readonly area: string
  readonly bytes: number
  readonly modified_at: string
}

interface DeniedEvent {
  readonly event: 'denied'
  readonly request_id: string
  readonly status: number
  readonly reason: string
  readonly method: string
  readonly route: string
  /** Absent if the caller could not be identified. */
  readonly tenant?: string | undefined
  readonly user?: string | null | undefined
}

/** For the operator; the caller gets a generic message. */
export interface FaultEvent {
  readonly event: 'fault'
  readonly request_id: string
  readonly where: string
  readonly error: string
  /** The script that crashed its VM. */
  readonly script_sha256?: string | undefined
  /** What to do, if known. */
  readonly hint?: string | undefined
}

/** A redirect of an API to a download, followed without credentials. */
interface FollowedEvent extends RedirectEvent {
  readonly event: 'redirect'
  readonly request_id: string
}

/** A try to report the end of a run. */
interface WebhookEvent {
  readonly event: 'webhook'
  /** The run's id: no request is under way. */
  readonly request_id: string
  readonly tenant: string
  readonly host: string
  readonly outcome: 'delivered' | 'retrying' | 'given_up'
  readonly status?: number | undefined
  readonly problem?: string | undefined
}

/** A pass over the store, or a part of one, that found something to delete. */
interface SweepEvent {
  readonly event: 'sweep'
  readonly request_id: 'none'
  readonly listed: number
  readonly deleted: number
}

/** Who did what; also stored with `AUDIT=store`. */
export type AuditEvent =
  | RunEvent
  | ChangeEvent
  | ExpiredEvent
  | LinkEvent
  | KeyEvent
  | OpenedEvent
  | SignInEvent
  | DeniedEvent

export type LogEvent = AuditEvent | FaultEvent | FollowedEvent | WebhookEvent | SweepEvent

/** Includes stack traces and causes: for the log only. */
function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.stack ?? `${error.name}: ${error.message}`
  return error.cause === undefined ? own : `${own}\ncaused by ${describeFault(error.cause)}`
}

/** @param where The operation, such as a route. */
export function faultEvent(requestId: string, where: string, error: unknown): FaultEvent {
  const hint = operatorHint(error)
  return {
    event: 'fault',
    request_id: requestId,
    where,
    error: describeFault(error),
    ...(hint && { hint }),
  }
}
