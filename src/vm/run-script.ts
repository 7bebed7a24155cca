/** Runs one script in a fresh VM. */
import { UNLIMITED_ROOM, type MemoryRoom } from '../files/content/memory-room.ts'
import type { VirtualPath } from '../files/path.ts'
import type { Ending } from '../lib/abort.ts'
import type { VirtualFiles } from '../files/run/virtual-files.ts'
import type { RunLimits } from '../limits.ts'
import type { FileAccess } from './library/library-host.ts'
import { LogLines } from './system/log-lines.ts'
import type { ScriptApis } from './library/script-apis.ts'
import type { ScriptError } from './script-error.ts'
import type { ScriptResult } from './script-frame.ts'
import { withVm } from './vm.ts'

const HASH = 0x23
const NEWLINE = 0x0a
const encoder = new TextEncoder()

/** Inputs of a run. */
export interface ScriptRun {
  readonly script: string | Uint8Array
  /** JSON for the global `args`; absent means `nil`. */
  readonly argsJson?: string | undefined
  readonly files: VirtualFiles
  readonly access: FileAccess
  readonly limits: RunLimits
  /** Fuel per slice; by default a few milliseconds' worth. */
  readonly fuelSlice?: number | undefined
  /** Memory budget shared by all runs; by default what the limits allow. */
  readonly room?: MemoryRoom | undefined
  readonly now: () => Date
  /** Ends the run, e.g. a {@link Deadline}. Pass the same to the files. */
  readonly ending: Ending
  readonly onLog?: ((line: string) => void) | undefined
  /** Called when the VM exists, just before it runs. */
  readonly onStart?: ((vm: { readonly heldBytes: number }) => void) | undefined
  readonly linkTo: (path: VirtualPath) => Promise<string> | string
  readonly apis?: ScriptApis | undefined
}

export interface ScriptOutcome {
  /** `null` if the script failed. */
  readonly result: ScriptResult
  readonly logs: readonly string[]
  readonly error?: ScriptError
  /** Why the VM broke; for the log only. */
  readonly fault?: unknown
  readonly fuelUsed: number
  readonly memoryBytes: number
}

/** Throws only if no VM can be created. The caller finishes the files. */
export async function runScript(
  module: WebAssembly.Module,
  run: ScriptRun,
): Promise<ScriptOutcome> {
  const script = withoutShebang(
    typeof run.script === 'string' ? encoder.encode(run.script) : run.script,
  )
  const logs = new LogLines(run.limits.logBytes, run.onLog)
  const { room = UNLIMITED_ROOM } = run
  return withVm(module, { ...run, room, logs }, async (vm) => {
    run.onStart?.(vm)
    const { result = 'null', replaced = [], error, fault } = await vm.run(script, run.argsJson)
    if (replaced.length > 0) logs.note(`warning: in the result, ${replaced.join('; ')}`)
    return {
      result,
      logs: logs.finish(),
      ...(error && { error }),
      ...(fault !== undefined && { fault }),
      fuelUsed: vm.fuelUsed,
      memoryBytes: vm.memoryBytes,
    }
  })
}

/** Skips a `#!` line as `lua` does, but keeps its newline for line numbers. */
function withoutShebang(script: Uint8Array): Uint8Array {
  if (script[0] !== HASH) return script
  const end = script.indexOf(NEWLINE)
  return script.subarray(end < 0 ? script.length : end)
}
