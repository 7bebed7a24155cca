/** Runs one script in a VM of its own, within its limits. */
import type { VirtualPath } from '../files/path.ts'
import type { VirtualFiles } from '../files/virtual-files.ts'
import type { RunLimits } from '../limits.ts'
import type { FileAccess } from './library.ts'
import { LogLines } from './log-lines.ts'
import { Killed, type ScriptError } from './script-error.ts'
import { withVm } from './vm.ts'

export interface ScriptRun {
  readonly script: string | Uint8Array
  /** JSON text for the global `args`; absent leaves it `nil`. */
  readonly argsJson?: string | undefined
  readonly files: VirtualFiles
  readonly access: FileAccess
  readonly limits: RunLimits
  readonly now: () => Date
  /** Aborts when the caller has gone. */
  readonly signal?: AbortSignal | undefined
  readonly onLog?: ((line: string) => void) | undefined
  readonly linkTo: (path: VirtualPath) => Promise<string> | string
}

export interface ScriptOutcome {
  /** JSON text; `null` after a failure. */
  readonly result: string
  readonly logs: readonly string[]
  readonly error?: ScriptError
  readonly fuelUsed: number
  readonly memoryBytes: number
}

/** Never throws because of the script: its failure is an outcome. The caller finishes the files. */
export async function runScript(
  module: WebAssembly.Module,
  run: ScriptRun,
): Promise<ScriptOutcome> {
  const script = typeof run.script === 'string' ? new TextEncoder().encode(run.script) : run.script
  const logs = new LogLines(run.limits.logBytes, run.onLog)
  const ending = new AbortController()
  const message = `deadline exceeded: the script ran longer than ${run.limits.runMs} ms`
  const timer = setTimeout(() => ending.abort(new Killed('timeout', message)), run.limits.runMs)
  const leave = () => ending.abort(new Killed('timeout', 'the caller has gone'))
  run.signal?.addEventListener('abort', leave)

  try {
    return await withVm(module, { ...run, logs, signal: ending.signal }, async (vm) => {
      const outcome = await vm.run(script, run.argsJson)
      const spent = { fuelUsed: vm.fuelUsed, memoryBytes: vm.memoryBytes }
      if ('error' in outcome) {
        return { result: 'null', logs: logs.finish(), error: outcome.error, ...spent }
      }
      if (outcome.replaced.length > 0)
        logs.note(`warning: in the result, ${outcome.replaced.join('; ')}`)
      return { result: outcome.result, logs: logs.finish(), ...spent }
    })
  } finally {
    clearTimeout(timer)
    run.signal?.removeEventListener('abort', leave)
  }
}
