/** Runs scripts as the service does, on a memory store, and returns everything observable. */
import { loadLua } from '#lua-wasm'
import type { FolderPath } from '../../src/files/path.ts'
import type { UploadSizes } from '../../src/files/store/upload-stream.ts'
import { VirtualFiles } from '../../src/files/run/virtual-files.ts'
import { parseJson } from '../../src/lib/json/parse-json.ts'
import { DEFAULT_LIMITS, type RunLimits } from '../../src/limits.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import type { FileAccess } from '../../src/vm/library/library-host.ts'
import { Deadline } from '../../src/vm/limits/deadline.ts'
import { runScript, type ScriptOutcome, type ScriptRun } from '../../src/vm/run-script.ts'

export interface LuaRunOptions {
  /** Replaces the service's build. */
  readonly module?: WebAssembly.Module
  readonly args?: unknown
  readonly argsJson?: string
  readonly limits?: Partial<RunLimits>
  /** Short slices make a small amount of fuel span many. */
  readonly fuelSlice?: number
  readonly storage?: StorageDriver
  /** Small ones make small files go up in parts. */
  readonly uploadSizes?: UploadSizes | undefined
  readonly access?: FileAccess
  readonly now?: () => Date
  readonly onLog?: ScriptRun['onLog']
  readonly signal?: AbortSignal
  readonly linkTo?: ScriptRun['linkTo']
  readonly apis?: ScriptRun['apis']
  /** False stores files only at the end of the run. */
  readonly storesOnClose?: boolean
  /** Without it, breaking the VM fails the test. */
  readonly mayBreak?: boolean
}

export const FIXED_NOW = new Date('2026-11-16T09:00:00Z')

let module: Promise<WebAssembly.Module> | undefined

/** Compiles the module once per process; every call gets a fresh VM. */
export async function runLua(script: string | Uint8Array, options: LuaRunOptions = {}) {
  const lua = options.module ?? (await (module ??= loadLua()))
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const storage = options.storage ?? memoryStorage()
  const deadline = new Deadline(limits.runMs, options.signal)
  const files = new VirtualFiles({
    storage,
    uploadSizes: options.uploadSizes,
    ending: deadline,
    storesOnClose: options.storesOnClose,
    keyFor: (path: FolderPath) => `area/${path}`,
    limits: {
      maxOpenHandles: limits.openHandles,
      maxResidentBytes: limits.residentBytes,
      maxFilesTouched: limits.filesTouched,
    },
  })
  const outcome = await runScript(lua, {
    script,
    argsJson: options.args === undefined ? options.argsJson : JSON.stringify(options.args),
    files,
    access: options.access ?? { canRead: true, canWrite: true },
    limits,
    fuelSlice: options.fuelSlice,
    now: options.now ?? (() => FIXED_NOW),
    ending: deadline,
    onLog: options.onLog,
    apis: options.apis,
    linkTo: options.linkTo ?? ((path) => `https://files.example/${path}`),
  })
  deadline.stop()
  if (outcome.fault !== undefined && !options.mayBreak) throw outcome.fault
  return { ...outcome, result: parseResult(outcome), files: await files.finish() }
}

/** Parses the result, a string or chunks. */
export function parseResult({ result }: Pick<ScriptOutcome, 'result'>): unknown {
  if (typeof result === 'string') return parseJson(result)
  const decoder = new TextDecoder()
  const texts = result.chunks.map((chunk) => decoder.decode(chunk, { stream: true }))
  return parseJson(texts.join(''))
}
