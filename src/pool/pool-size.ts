/** How many scripts may run at once on this machine. */
import { availableParallelism, totalmem } from 'node:os'
import type { RunLimits } from '../limits.ts'

/** Most scripts wait for the store most of the time. */
const THREADS_PER_CORE = 4
/** The rest is for the server itself, for copies on their way, and for others. */
const SHARE_OF_MEMORY = 0.5

/** What a machine has to offer. */
export interface Machine {
  readonly cores: number
  readonly memoryBytes: number
}

/** At least one; so few that all of them fit into memory when each holds all that its limits allow. */
export function threadsFor(
  { memoryBytes, residentBytes }: Pick<RunLimits, 'memoryBytes' | 'residentBytes'>,
  machine = thisMachine(),
): number {
  const fitting = Math.floor(
    (machine.memoryBytes * SHARE_OF_MEMORY) / (memoryBytes + residentBytes),
  )
  return Math.max(1, Math.min(fitting, THREADS_PER_CORE * machine.cores))
}

/** A container may have less memory than the machine it is on. */
function thisMachine(): Machine {
  const allowed = process.constrainedMemory()
  const memoryBytes = allowed > 0 ? Math.min(allowed, totalmem()) : totalmem()
  return { cores: availableParallelism(), memoryBytes }
}
