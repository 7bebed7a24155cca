/** Runs scripts as the service does, on a memory store, in Node and workerd. */
import { VirtualFiles } from '../../src/files/run/virtual-files.ts'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { Deadline } from '../../src/vm/limits/deadline.ts'
import { inertImports } from '../../src/vm/inert-imports.ts'
import { runScript } from '../../src/vm/run-script.ts'
import { parseResult } from '../support/run-lua.ts'

const kept = memoryStorage()

export interface RunOnMemory {
  readonly result: unknown
  readonly fuelUsed: number
  readonly memoryBytes: number
}

/** Files persist across runs. @throws if the script fails. */
export async function runOnMemory(
  module: WebAssembly.Module,
  script: string,
  storage: StorageDriver = kept,
): Promise<RunOnMemory> {
  const deadline = new Deadline(120_000)
  const files = new VirtualFiles({
    storage,
    ending: deadline,
    keyFor: (path) => `bench/${path}`,
    limits: { maxOpenHandles: 64, maxResidentBytes: 2 ** 26, maxFilesTouched: 2000 },
  })
  const { error, result, fuelUsed, memoryBytes } = await runScript(module, {
    script,
    files,
    access: { canRead: true, canWrite: true },
    limits: { ...DEFAULT_LIMITS, fuel: 1e11 },
    now: () => new Date(),
    ending: deadline,
    linkTo: (path) => path,
  })
  deadline.stop()
  if (error) throw new Error(error.message)
  await files.finish()
  return { result: parseResult({ result }), fuelUsed, memoryBytes }
}

/** With imports that do nothing, and a memory of its own. */
export function bareInstance(module: WebAssembly.Module): WebAssembly.Instance {
  return new WebAssembly.Instance(module, inertImports(module))
}
