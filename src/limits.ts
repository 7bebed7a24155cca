/**
 * Limits of a run in one table. The settings, the `limits` of a request and the documentation
 * follow from it.
 */

/** `os.clock`'s scale: about a second of warm computation. */
export const FUEL_PER_SECOND = 250_000_000

/** Extra time for storing closed files after the deadline. */
export const STORING_GRACE_MS = 10_000

/** Timers beyond 31 bits of milliseconds fire at once; storing adds its grace. */
const MAX_TIMEOUT_MS = 2_147_483_647 - STORING_GRACE_MS

const KIB = 1024
const MIB = 1024 * KIB
const GIB = 1024 * MIB

/** Stores take at most 10,000 parts of one object; more than this does not fit at 8 MiB each. */
const MAX_STORED_BYTES = 64 * GIB

interface Limit {
  /** For documentation. */
  readonly title: string
  readonly unit: 'fuel' | 'bytes' | 'ms' | 'count'
  /** `Infinity` for none. */
  readonly byDefault: number
  /** Where it differs: an isolate has 128 MB, and the platform counts requests. */
  readonly onWorkers?: number
  /** What the operator changes it with; absent if it is fixed. */
  readonly setting?: { readonly name: string; readonly min?: number; readonly max: number }
  /** What a caller lowers it with, in `limits` of a request. */
  readonly field?: { readonly name: string; readonly min: 0 | 1 }
  /** What happens at the limit, for documentation. */
  readonly atLimit: string
}

const LIMITS = {
  fuel: {
    title: 'Computing',
    unit: 'fuel',
    byDefault: 10 * FUEL_PER_SECOND,
    setting: { name: 'FUEL', max: 1e15 - 1 },
    field: { name: 'fuel', min: 1 },
    atLimit: 'the run is stopped; Lua cannot catch it',
  },
  runMs: {
    title: 'Time, with waits',
    unit: 'ms',
    byDefault: 30_000,
    setting: { name: 'TIMEOUT_MS', max: MAX_TIMEOUT_MS },
    field: { name: 'timeout_ms', min: 1 },
    atLimit: 'the run is stopped, even while it waits',
  },
  memoryBytes: {
    title: 'Memory of Lua',
    unit: 'bytes',
    byDefault: 64 * MIB,
    onWorkers: 32 * MIB,
    setting: { name: 'VM_MEMORY_BYTES', min: 768 * KIB, max: 64 * MIB },
    field: { name: 'memory_bytes', min: 1 },
    atLimit: 'Lua raises "not enough memory"',
  },
  residentBytes: {
    title: 'Files in memory',
    unit: 'bytes',
    byDefault: 64 * MIB,
    // A file that is written forward leaves memory in parts, two of which are on their way.
    setting: { name: 'RESIDENT_MAX_BYTES', min: 16 * MIB, max: MAX_STORED_BYTES },
    atLimit: 'larger files are read in parts, never edited',
  },
  parseBytes: {
    title: 'Documents read',
    unit: 'bytes',
    byDefault: 32 * MIB,
    onWorkers: 8 * MIB,
    setting: { name: 'PARSE_MAX_BYTES', max: 256 * MIB },
    atLimit: 'reading a larger one, or row group, raises',
  },
  writeBytes: {
    title: 'Written to files',
    unit: 'bytes',
    byDefault: 50 * MIB,
    setting: { name: 'IO_MAX_BYTES', max: MAX_STORED_BYTES },
    field: { name: 'write_bytes', min: 0 },
    atLimit: 'the write that would exceed it raises',
  },
  openHandles: {
    title: 'Open files',
    unit: 'count',
    byDefault: 64,
    setting: { name: 'OPEN_HANDLES', max: 1024 },
    atLimit: '`io.open` raises, if no handle can be collected',
  },
  filesTouched: {
    title: 'Files changed',
    unit: 'count',
    byDefault: 2_000,
    setting: { name: 'FILES_TOUCHED', max: 100_000 },
    atLimit: 'changing another file raises',
  },
  apiCalls: {
    title: 'API calls',
    unit: 'count',
    byDefault: 1_000,
    setting: { name: 'API_CALLS', max: 1_000_000 },
    field: { name: 'api_calls', min: 0 },
    atLimit: 'the next call raises; retries and pages count',
  },
  apiCallMs: {
    title: 'Time per API call',
    unit: 'ms',
    byDefault: 30_000,
    setting: { name: 'API_CALL_MS', max: MAX_TIMEOUT_MS },
    atLimit: 'the call raises',
  },
  apiCallBytes: {
    title: 'One API response',
    unit: 'bytes',
    byDefault: 8 * MIB,
    onWorkers: 4 * MIB,
    setting: { name: 'API_CALL_BYTES', max: 64 * MIB },
    atLimit: 'the call raises; counted decompressed',
  },
  apiBytes: {
    title: 'All API responses',
    unit: 'bytes',
    byDefault: 64 * MIB,
    onWorkers: 16 * MIB,
    setting: { name: 'API_BYTES', max: MAX_STORED_BYTES },
    atLimit: 'the call raises; what is saved does not count',
  },
  saveBytes: {
    title: 'Saved by API calls',
    unit: 'bytes',
    byDefault: GIB,
    setting: { name: 'SAVE_MAX_BYTES', max: MAX_STORED_BYTES },
    atLimit: 'saving raises; `sdk.dump` stops before it',
  },
  subrequests: {
    title: 'Requests it makes',
    unit: 'count',
    byDefault: Infinity,
    onWorkers: 10_000,
    setting: { name: 'SUBREQUESTS', min: 20, max: 1e15 - 1 },
    atLimit: '`io.open`, large writes and API calls raise',
  },
  backgroundFuel: {
    title: 'Background compute',
    unit: 'fuel',
    byDefault: 300 * FUEL_PER_SECOND,
    onWorkers: 60 * FUEL_PER_SECOND,
    setting: { name: 'BACKGROUND_FUEL', max: 1e15 - 1 },
    atLimit: 'the run is stopped; Lua cannot catch it',
  },
  backgroundMs: {
    title: 'Background time',
    unit: 'ms',
    byDefault: 840_000,
    setting: { name: 'BACKGROUND_TIMEOUT_MS', max: MAX_TIMEOUT_MS },
    atLimit: 'the run is stopped, even while it waits',
  },
  backgroundRuns: {
    title: 'Background runs',
    unit: 'count',
    byDefault: 100,
    setting: { name: 'BACKGROUND_PER_TENANT', max: 1_000 },
    atLimit: 'another one of the tenant gets 429',
  },
  scriptBytes: {
    title: 'Script',
    unit: 'bytes',
    byDefault: MIB,
    atLimit: 'the request gets 413',
  },
  logBytes: {
    title: 'Logs',
    unit: 'bytes',
    byDefault: MIB,
    setting: { name: 'LOG_BYTES', max: 16 * MIB },
    atLimit: 'further lines are dropped, and one line says so',
  },
  resultBytes: {
    title: 'Result as JSON',
    unit: 'bytes',
    byDefault: 256 * KIB,
    setting: { name: 'RESULT_BYTES', max: 16 * MIB },
    atLimit: 'the result becomes a file',
  },
} as const satisfies Readonly<Record<string, Limit>>

type LimitName = keyof typeof LIMITS

type SettingOf<Row> = Row extends { readonly setting: { readonly name: infer Name } } ? Name : never

/** Environment variables. */
export type LimitSetting = SettingOf<(typeof LIMITS)[LimitName]>

/** The values for one run, by the names of the table; the unit is in the name. */
export type RunLimits = Readonly<Record<LimitName, number>>

/** For code that does not need the exact names of settings and fields. */
export const LIMIT_ROWS = Object.entries(LIMITS) as readonly (readonly [LimitName, Limit])[]

/** `undefined` values change nothing. */
export type LimitChanges = { readonly [Name in LimitName]?: number | undefined }

/** Makes values by name from the rows of the table. */
export function limitsOf(valueOf: (row: Limit, name: LimitName) => number): RunLimits {
  const values = LIMIT_ROWS.map(([name, row]) => [name, valueOf(row, name)])
  return Object.fromEntries(values) as RunLimits
}

export const DEFAULT_LIMITS = limitsOf(({ byDefault }) => byDefault)

export const WORKERS_LIMITS = limitsOf(({ byDefault, onWorkers = byDefault }) => onWorkers)

/** Background runs may take longer than a client waits; half of the requests are for the record. */
export function backgroundLimits(limits: RunLimits): RunLimits {
  const { backgroundFuel: fuel, backgroundMs: runMs } = limits
  return { ...limits, fuel, runMs, subrequests: Math.floor(limits.subrequests / 2) }
}

/** The body of `POST /execute`. */
export const MAX_EXECUTE_BODY_BYTES = 4 * MIB

/** The body of a file operation: fits a file of the default size in base64. */
export const MAX_FS_BODY_BYTES = 16 * MIB

/** The body of an MCP message: a file operation plus the protocol. */
export const MAX_MCP_BODY_BYTES = 16 * MIB
