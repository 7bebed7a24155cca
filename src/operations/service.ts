/** What the operations stand on: made once per process, at the entry. */
import type { Caller } from '../caller.ts'
import type { Config } from '../config.ts'
import type { AreaLayout } from '../files/area.ts'
import { parsePath, type FolderPath, type PathRules } from '../files/path.ts'
import type { Apis } from '../sdk/call/run-apis.ts'
import type { StorageDriver } from '../storage/driver.ts'
import type { Admission } from './run/admission.ts'
import type { ExecuteProgress, ExecuteScript } from './run/execute-script.ts'
import type { LogEvent } from './log-event.ts'

/** Every difference between the places where the service runs is a value in here. */
export interface Service {
  readonly config: Config
  readonly storage: StorageDriver
  readonly lua: WebAssembly.Module
  readonly admission: Admission
  readonly now: () => Date
  /** What scripts reach as `sdk`; absent where no API is configured. */
  readonly apis?: Apis | undefined
  /** Runs scripts away from the loop that answers requests; absent means right there. */
  readonly executeElsewhere?: ExecuteScript | undefined
  readonly log: (event: LogEvent) => void
  /** Whether links hand over to the store itself, where it can presign; absent means no. */
  readonly redirectsLinks?: boolean | undefined
  /** Whether uploads of a known size go straight to the store, because requests here are small. */
  readonly presignsUploads?: boolean | undefined
  /** Where a file or folder opens without any server, for good; absent means that links lead here. */
  readonly addressOf?: ((path: FolderPath) => string) | undefined
}

/** One request, to whoever works on it. */
export interface RequestContext {
  readonly service: Service
  readonly caller: Caller
  readonly requestId: string
  /** Where the service can be reached, without a slash at the end: links begin with it. */
  readonly baseUrl: string
  /** Aborts when the caller has gone. */
  readonly signal?: AbortSignal | undefined
  /**
   * Waits until there is memory for content of so many bytes in the answer, and gives what gives it back; the request
   * does so when it is answered. Absent where nobody counts it.
   */
  readonly hold?: ((bytes: number) => Promise<() => void>) | undefined
  /** Gives back what is held for the body: a run asks for its own, and may need all there is. */
  readonly release?: (() => void) | undefined
  /** For a caller who watches a run. */
  readonly progress?: ExecuteProgress | undefined
  /** What came in place of a JSON body, with its headers. */
  readonly upload?: Upload | undefined
}

/** Bytes to store as they come in. */
interface Upload {
  readonly body: ReadableStream<Uint8Array>
  /** As announced; absent where nobody said. */
  readonly bytes?: number | undefined
  readonly headers: Headers
}

/** How paths become keys here. */
export function areaLayout({ keyPrefix, sharedDir }: Config): AreaLayout {
  return { keyPrefix, sharedDir: sharedDir === undefined ? undefined : parsePath(sharedDir) }
}

/** The rules for everybody's paths, or those of one caller. */
export function pathRules({ allowedPaths, sharedDir }: Config, caller?: Caller): PathRules {
  const lists = [allowedPaths, caller?.paths]
  return { sharedDir, allowed: lists.filter((list) => list !== undefined) }
}
