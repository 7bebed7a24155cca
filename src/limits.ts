/** Limits of a run; the unit is in the name. */

/** `os.clock`'s scale: about a second of warm computation. */
export const FUEL_PER_SECOND = 250_000_000

/** A caller may lower them, never raise them. */
export interface RunLimits {
  /** Loop iterations and calls in the VM. At zero the run is killed. */
  readonly fuel: number
  /** Linear memory. Beyond it Lua raises "not enough memory". */
  readonly memoryBytes: number
  /** Wall clock, including waits. */
  readonly runMs: number
  /** Total written to files. */
  readonly writeBytes: number
  readonly openHandles: number
  /** File content held in memory, read and written. */
  readonly residentBytes: number
  readonly filesTouched: number
  /** In total; retries and pages count. */
  readonly apiCalls: number
  readonly apiCallMs: number
  /** Per response, decompressed. */
  readonly apiCallBytes: number
  /** In total. */
  readonly apiBytes: number
  readonly scriptBytes: number
  /** Further lines are dropped, and one line says how much. */
  readonly logBytes: number
  /** Larger results (as JSON) become a file. */
  readonly resultBytes: number
}

export const DEFAULT_LIMITS: RunLimits = {
  fuel: 2_500_000_000,
  memoryBytes: 67_108_864,
  runMs: 30_000,
  writeBytes: 52_428_800,
  openHandles: 64,
  residentBytes: 67_108_864,
  filesTouched: 2_000,
  apiCalls: 100,
  apiCallMs: 10_000,
  apiCallBytes: 2_097_152,
  apiBytes: 8_388_608,
  scriptBytes: 1_048_576,
  logBytes: 1_048_576,
  resultBytes: 262_144,
}

/** The body of `POST /execute`. */
export const MAX_EXECUTE_BODY_BYTES = 4 * 1024 * 1024

/** The body of a file operation: fits a file of the default size in base64. */
export const MAX_FS_BODY_BYTES = 16 * 1024 * 1024

/** The body of an MCP message: a file operation plus the protocol. */
export const MAX_MCP_BODY_BYTES = 16 * 1024 * 1024

/** Extra time for storing closed files after the deadline. */
export const STORING_GRACE_MS = 10_000
