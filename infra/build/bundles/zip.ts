/** Writes zip archives, deterministically. */
import { zipSync } from 'fflate'

export interface ZipEntry {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The earliest date of the format, which stores local time. */
const DATE = new Date(1980, 0, 1)
const UNIX = 3
/** A regular file, world-readable: Lambda runs functions as an unprivileged user. */
const MODE = 0o100644

export function zip(entries: readonly ZipEntry[]): Uint8Array {
  const files = Object.fromEntries(entries.map(({ name, bytes }) => [name, bytes]))
  return zipSync(files, { level: 9, mtime: DATE, os: UNIX, attrs: MODE * 0x10000 })
}
