/** What library functions can use of a run, and the interface between the VM and APIs. */
import type { MemoryRoom } from '../../files/content/file-budget.ts'
import type { PathRules, VirtualPath } from '../../files/path.ts'
import type { SaveTarget } from '../../files/save-target.ts'
import type { VirtualFiles } from '../../files/run/virtual-files.ts'
import type { Ending } from '../../lib/abort.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { RunLimits } from '../../limits.ts'
import type { FuelTank } from '../limits/fuel-tank.ts'
import type { JsonCodec } from '../json/json-codec.ts'
import type { LogLines } from '../system/log-lines.ts'
import type { LuaExports } from '../lua-exports.ts'
import type { LuaMemory } from '../strings.ts'
import type { WriteBudget } from '../system/write-budget.ts'

/** Without either, `io` and `file` do not exist. */
export interface FileAccess {
  readonly canRead: boolean
  readonly canWrite: boolean
  readonly paths?: PathRules | undefined
}

/** What a run is given. */
export interface RunHost {
  readonly files: VirtualFiles
  readonly access: FileAccess
  readonly limits: RunLimits
  /** Memory shared by all VMs and files. */
  readonly room: MemoryRoom
  readonly logs: LogLines
  /** Absent if no API is configured. */
  readonly apis?: ScriptApis | undefined
  /** `file.save`'s result: a link, or the name if the caller may not read. */
  readonly linkTo: (path: VirtualPath) => Promise<string> | string
}

export interface LibraryHost extends RunHost {
  readonly lua: LuaExports
  readonly memory: LuaMemory
  readonly json: JsonCodec
  readonly budget: WriteBudget
  readonly fuel: FuelTank
  readonly now: () => Date
  /** Aborts when the run ends. */
  readonly ending: Ending
  /** Reports limits raised by other means than {@link LimitReached}. */
  noteLimit(message: string): void
}

export interface ApiCall {
  /** `dump` follows all pages into a file; `download` has a URL as its only argument. */
  readonly kind?: 'call' | 'dump' | 'download' | undefined
  /** `<api>.<function>`, or just the function's name if unique. */
  readonly name: string
  /** The arguments as JSON. */
  readonly argsJson: string
  /** A string `body`, as raw bytes. */
  readonly body?: Uint8Array<ArrayBuffer> | undefined
  /** The options as JSON, such as `{"save_to":"output/x.json"}`. */
  readonly optionsJson?: string | undefined
  /** The page number an earlier result gave; 0 for the first. */
  readonly page?: number | undefined
}

export type ApiResult =
  | { readonly kind: 'json' | 'bytes'; readonly bytes: Uint8Array; readonly nextPage?: number }
  | { readonly kind: 'nothing'; readonly nextPage?: number }
  /** The error table as JSON. */
  | { readonly kind: 'error'; readonly bytes: Uint8Array }

/** The run's files, with its path and scope checks. Methods throw what is raised in Lua. */
export interface ApiFiles {
  read(path: string): Promise<Uint8Array>
  /** Checks before a request is sent. */
  assertCanSave(path: string): void
  openSave(path: string): SaveTarget
}

/** What an API call can use of its run. */
export interface ApiHost extends ApiFiles {
  /** Charges work of the host, and yields now and then. @throws {Killed} if the fuel is spent. */
  work(fuel: number): MaybePromise<void>
  /** The part of the run's fuel that is left, from 0 to 1. */
  readonly fuelLeft: number
  /** Adds a line to the log. */
  note(line: string): void
}

export interface FoundFunctions {
  readonly hitsJson: string
  /** What could not be searched, and why. */
  readonly note?: string | undefined
}

/** Per run: holds its budgets and pages. */
export interface ScriptApis {
  /**
   * Resolves a name to an API or a qualified function.
   *
   * @throws {RaisedInLua} with the nearest names if none or several match.
   */
  find(name: string): { readonly api: string } | { readonly function: string }

  /** @throws {LimitReached} if a budget is spent. */
  call(call: ApiCall, host: ApiHost): Promise<ApiResult>

  /** Best first. */
  search(question: string): Promise<FoundFunctions>

  /** Help on an API, a function or a type. @throws {RaisedInLua} */
  help(name: string): Promise<string>
}
