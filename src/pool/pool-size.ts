/** The number of threads for this machine. */
import { availableParallelism, totalmem } from 'node:os'
import type { RunLimits } from '../limits.ts'

/** Scripts mostly wait for the store. */
const THREADS_PER_CORE = 4
/** The rest is for the server, copies in flight, and other processes. */
const SHARE_OF_MEMORY = 0.5

export interface Machine {
  readonly cores: number
  readonly memoryBytes: number
}

/** At least one; otherwise as many as fit into memory at their limits. */
export function threadsFor(
  { memoryBytes, residentBytes }: Pick<RunLimits, 'memoryBytes' | 'residentBytes'>,
  machine = thisMachine(),
): number {
  const fitting = Math.floor(
    (machine.memoryBytes * SHARE_OF_MEMORY) / (memoryBytes + residentBytes),
  )
  return Math.max(1, Math.min(fitting, THREADS_PER_CORE * machine.cores))
}

/** Containers may have less than the machine. */
function thisMachine(): Machine {
  const allowed = process.constrainedMemory()
  const memoryBytes = allowed > 0 ? Math.min(allowed, totalmem()) : totalmem()
  return { cores: availableParallelism(), memoryBytes }
}
