/** What operations depend on: the service and the context of one request. */
import type { Caller } from '../caller.ts'
import type { Config } from '../config.ts'
import type { AreaLayout, AreaOwner } from '../files/store/area.ts'
import { parsePath, type FolderPath, type PathRules } from '../files/path.ts'
import type { Apis } from '../sdk/call/run-apis.ts'
import type { Fetch } from '../sdk/call/send.ts'
import type { StorageDriver } from '../storage/driver.ts'
import type { Admission } from './memory/admission.ts'
import type { RequestMemory } from './memory/request-memory.ts'
import type { ExecuteProgress, ExecuteScript } from './run/execute-script.ts'
import type { RunQueue } from './runs/run-queue.ts'
import type { LogEvent } from './log-event.ts'
import type { ZipLimits } from './links/zip-folder.ts'

/** Created once per process by the entry; platforms differ only in these values. */
export interface Service {
  readonly config: Config
  readonly storage: StorageDriver
  readonly lua: WebAssembly.Module
  readonly admission: Admission
  readonly now: () => Date
  /** The global `sdk` of scripts; absent if no API is configured. */
  readonly apis?: Apis | undefined
  /** Runs scripts off the event loop; absent runs them on it. */
  readonly executeElsewhere?: ExecuteScript | undefined
  /** Runs scripts after the response; absent refuses to. */
  readonly runQueue?: RunQueue | undefined
  /** For addresses that strangers chose: reaches no private network. Absent where fetch cannot. */
  readonly fetchPublic?: Fetch | undefined
  readonly log: (event: LogEvent) => void
  /** Stores the audit events logged so far, if wanted; never rejects. */
  readonly storeAudit?: (() => Promise<void>) | undefined
  /** Aborts when the process is to end: what waits for other processes must not hold it up. */
  readonly stopping?: AbortSignal | undefined
  /** Whether links redirect to the store if it can presign. */
  readonly redirectsLinks?: boolean | undefined
  /** Whether uploads of known size go straight to the store, because bodies are limited here. */
  readonly presignsUploads?: boolean | undefined
  /** The largest form that reaches the service, if the platform limits bodies. */
  readonly maxFormBytes?: number | undefined
  /** Of a folder downloaded as one archive, where the platform allows less. */
  readonly zipLimits?: ZipLimits | undefined
  /** A permanent address that needs no server; absent means that links point to this service. */
  readonly addressOf?: ((path: FolderPath) => string) | undefined
}

export interface RequestContext {
  readonly service: Service
  readonly caller: Caller
  readonly requestId: string
  /** The service's URL without a trailing slash, used for links. */
  readonly baseUrl: string
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal | undefined
  /** Absent if memory is not accounted for. */
  readonly memory?: RequestMemory | undefined
  /** Set if the caller wants progress events. */
  readonly progress?: ExecuteProgress | undefined
  /** Of an HTTP request. */
  readonly headers?: Headers | undefined
  /** Set if the body is a file's bytes, not JSON. */
  readonly upload?: Upload | undefined
}

interface Upload {
  readonly body: ReadableStream<Uint8Array>
  /** The Content-Length, if any. */
  readonly bytes?: number | undefined
  readonly headers: Headers
}

/** How paths map to keys. */
export function areaLayout({ keyPrefix, sharedDir }: Config): AreaLayout {
  return { keyPrefix, sharedDir: sharedDir === undefined ? undefined : parsePath(sharedDir) }
}

/** Includes the caller's own restrictions, if given. */
export function pathRules({ allowedPaths, sharedDir }: Config, caller?: Caller): PathRules {
  const lists = [allowedPaths, caller?.paths]
  return { sharedDir, allowed: lists.filter((list) => list !== undefined) }
}

/** Checks for the companion app first: it acts for users, but has its own files. */
export function areaOwner({ tenant, user, isCompanion }: Caller): AreaOwner {
  if (isCompanion) return { tenant, kind: 'companion', user: '' }
  return user === null ? { tenant, kind: 'default', user: '' } : { tenant, kind: 'user', user }
}
