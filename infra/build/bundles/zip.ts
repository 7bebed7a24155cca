/** Writes zip archives: the same files always give the same bytes. */
import { zipSync } from 'fflate'

/** A file in the archive. */
export interface ZipEntry {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The first day that the format knows, in local time, as the format keeps it. */
const DATE = new Date(1980, 0, 1)
const UNIX = 3
/** A plain file that everybody may read: Lambda runs a function as nobody in particular. */
const MODE = 0o100644

export function zip(entries: readonly ZipEntry[]): Uint8Array {
  const files = Object.fromEntries(entries.map(({ name, bytes }) => [name, bytes]))
  return zipSync(files, { level: 9, mtime: DATE, os: UNIX, attrs: MODE * 0x10000 })
}
