/** Every limit of a run: its unit is in its name, its default below. */

/** How much fuel `os.clock` shows as a second; a second of warm computation takes about as much. */
export const FUEL_PER_SECOND = 250_000_000

/** What one run may use. A caller may lower them, never raise them. */
export interface RunLimits {
  /** Work: loop turns and calls inside the VM. A run that has none left is killed. */
  readonly fuel: number
  /** The VM's linear memory. Beyond it Lua raises "not enough memory". */
  readonly memoryBytes: number
  /** Wall clock, waiting included. */
  readonly runMs: number
  /** Written to files in one run, all files together. */
  readonly writeBytes: number
  readonly openHandles: number
  /** Content of files held in memory by one run, read and written together. */
  readonly residentBytes: number
  readonly filesTouched: number
  /** To all APIs together; retries and further pages count. */
  readonly apiCalls: number
  readonly apiCallMs: number
  /** Of one answer, decompressed. */
  readonly apiCallBytes: number
  /** Of all answers together. */
  readonly apiBytes: number
  readonly scriptBytes: number
  /** Beyond it log lines are dropped, and one line says how much. */
  readonly logBytes: number
  /** A larger result, as JSON, becomes a file. */
  readonly resultBytes: number
}

/** In force unless configuration or a caller says less. */
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

/** The body of a file operation: a file of the default size fits in base64. */
export const MAX_FS_BODY_BYTES = 16 * 1024 * 1024

/** The body of a message to `/mcp`: a file operation with its protocol around it. */
export const MAX_MCP_BODY_BYTES = 16 * 1024 * 1024

/** Storing what a run closed may take so much longer than its deadline. */
export const STORING_GRACE_MS = 10_000
