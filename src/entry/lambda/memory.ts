/** How much of a function's memory runs may have. */
import { DEFAULT_LIMITS, type RunLimits } from '../../limits.ts'

const MIB = 1024 * 1024

/** Node, the code, and the largest request with its answer. */
const PROCESS_BYTES = 192 * MIB

/** Less makes no useful run: a smaller function may then be ended by the platform. */
const MIN_SHARE_BYTES = 16 * MIB

/** What a function of a size can afford. */
export interface MemoryPlan {
  readonly limits: RunLimits
  /** For all requests together. */
  readonly budgetBytes: number
}

/** @param functionBytes All the platform gives to one process. */
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
