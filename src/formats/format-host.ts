/** What a format can use of its run, and what it offers to scripts. */
import type { SaveTarget } from '../files/save-target.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** Random access to a file of the run. Reads must not overlap. */
export interface ByteSource {
  /** As the script wrote it, for messages. */
  readonly name: string
  readonly size: number
  /** Shorter only at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>
  close(): void
}

/** Paths, scopes, limits and budgets are checked inside. Methods throw what is raised in Lua. */
export interface FormatHost {
  openRead(path: string): Promise<ByteSource>
  /** Bytes count against the run's limit on writes. */
  openSave(path: string): SaveTarget
  /** The normal form of a path, if a file may be saved there. */
  checkSave(path: string): string
  /** The files below a folder, or a file itself, sorted. */
  listFiles(path: string): Promise<readonly string[]>
  /** Charges work, and yields now and then. @throws if the fuel or the time is spent. */
  work(fuel: number): MaybePromise<void>
  now(): Date
  /** What may be held in memory at once. */
  readonly residentBytes: number
  /** Of a document, a workbook or a row group, whose content takes many times as much. */
  readonly parseBytes: number
}

/** Bad data or arguments: says what is wrong, and where. Scripts can catch it. */
export class FormatError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FormatError'
  }
}

/**
 * Rows that are read while a script asks for them. A value is a JSON value or a bigint; `undefined`
 * fields are left out, and `null` is `json.null`.
 */
export interface RowReader {
  /** Some rows, at most about 64 KiB; `null` at the end. */
  next(): Promise<readonly unknown[] | null>
  close(): void
}

/** A file that is written while a script gives rows. */
export interface RowWriter {
  /** Integers beyond 53 bits are bigints. */
  write(rows: readonly unknown[]): Promise<void>
  /** Completes the file; what the script gets. */
  close(): Promise<unknown>
  /** Leaves nothing behind. Never rejects. */
  abort(): Promise<void>
}

/** What a function of a format gives a script at once. Bytes become a string. */
export type FormatValue = { readonly value: unknown } | { readonly bytes: Uint8Array }

export type FormatResult =
  FormatValue | { readonly reader: RowReader } | { readonly writer: RowWriter }

/**
 * A function that scripts can call. Missing arguments are `null`.
 *
 * @throws {FormatError}
 */
type FormatFunction = (host: FormatHost, ...args: readonly unknown[]) => Promise<FormatResult>

/** What the module of a format exports as `functions`, such as `rows` of `xlsx.rows`. */
export type FormatFunctions = Readonly<Record<string, FormatFunction>>
