/** Runs one script in a fresh VM. */
import { UNLIMITED_ROOM, type MemoryRoom } from '../files/content/file-budget.ts'
import { LogLines } from './system/log-lines.ts'
import type { ScriptResult } from './script-frame.ts'
import { withoutShebang } from './strings.ts'
import { Vm, type VmOptions, type VmOutcome } from './vm.ts'

const encoder = new TextEncoder()

/** Inputs of a run. */
export interface ScriptRun extends Omit<VmOptions, 'room' | 'logs'> {
  readonly script: string | Uint8Array
  /** JSON for the global `args`; absent means `nil`. */
  readonly argsJson?: string | undefined
  /** Memory budget shared by all runs; by default what the limits allow. */
  readonly room?: MemoryRoom | undefined
  readonly onLog?: ((line: string) => void) | undefined
  /** Called when the VM exists, just before it runs. */
  readonly onStart?: ((vm: { readonly heldBytes: number }) => void) | undefined
}

export interface ScriptOutcome extends Pick<VmOutcome, 'error' | 'fault'> {
  /** `null` if the script failed. */
  readonly result: ScriptResult
  readonly logs: readonly string[]
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
  const vm = new Vm(module, { ...run, room, logs })
  try {
    run.onStart?.(vm)
    const { result = 'null', replaced, ...failure } = await vm.run(script, run.argsJson)
    if (replaced.length > 0) logs.note(`warning: in the result, ${replaced.join('; ')}`)
    const { fuelUsed, memoryBytes } = vm
    return { result, logs: logs.finish(), ...failure, fuelUsed, memoryBytes }
  } finally {
    vm.close()
  }
}
