/** Splits a function's memory between runs. */
import { DEFAULT_LIMITS, type RunLimits } from '../../limits.ts'

const MIB = 1024 * 1024

/** Node, the code, and the largest request with its response. */
const PROCESS_BYTES = 192 * MIB

/** Less is useless for a run: the platform may kill a smaller function. */
const MIN_SHARE_BYTES = 16 * MIB

export interface MemoryPlan {
  readonly limits: RunLimits
  readonly budgetBytes: number
}

/** @param functionBytes The function's memory size. */
export function planMemory(functionBytes: number): MemoryPlan {
  const runsBytes = functionBytes - PROCESS_BYTES
  const shareBytes = Math.max(MIN_SHARE_BYTES, Math.floor(runsBytes / 2))
  const memoryBytes = Math.min(DEFAULT_LIMITS.memoryBytes, shareBytes)
  const residentBytes = Math.min(DEFAULT_LIMITS.residentBytes, shareBytes)
  return {
    limits: { ...DEFAULT_LIMITS, memoryBytes, residentBytes },
    budgetBytes: Math.max(0, runsBytes),
  }
}
