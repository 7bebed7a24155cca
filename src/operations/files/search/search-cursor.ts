/** Where a search goes on: valid for the same question only. */
import * as z from 'zod'
import { AppError } from '../../../errors.ts'
import type { FolderPath, VirtualPath } from '../../../files/path.ts'
import { sha256Hex } from '../../../lib/crypto.ts'
import { once } from '../../../lib/once.ts'
import type { CallerFiles } from '../../caller-files.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'

/** Inside a file that has not been searched to its end. */
export interface FilePosition {
  /** Another version is searched from its beginning. */
  readonly etag: string
  /** Of a line, in bytes. */
  readonly start: number
  /** Lines before that. */
  readonly line: number
  /** The last line that was told of. */
  readonly seen: number
}

export interface SearchPosition {
  readonly path: VirtualPath
  /** `null` if this file is done. */
  readonly inFile: FilePosition | null
}

const positionSchema = once(() => {
  const count = z
    .int()
    .min(0)
    .max(2 ** 48)
  return z.tuple([
    z.string(),
    z.string(),
    z.strictObject({ etag: z.string(), start: count, line: count, seen: count }).nullable(),
  ])
})

/** @param question Everything that decides what is found. */
export async function questionHash(question: readonly unknown[]): Promise<string> {
  return (await sha256Hex(new TextEncoder().encode(JSON.stringify(question)))).slice(0, 16)
}

export function cursorOf(question: string, { path, inFile }: SearchPosition): string {
  return encodeCursor([question, path, inFile])
}

/** @throws {AppError} `invalid_request` for anything but a cursor of this question. */
export function parseSearchCursor(
  files: CallerFiles,
  folder: FolderPath,
  question: string,
  cursor: string,
): SearchPosition {
  const [asked, path = '', inFile = null] =
    positionSchema().safeParse(decodeCursor(cursor)).data ?? []
  const isBelow = folder === '' || path === folder || path.startsWith(`${folder}/`)
  if (asked !== question || !isBelow || !files.canSpell(path)) {
    const message = 'cursor: does not belong to this search. Leave it out to begin again.'
    throw new AppError('invalid_request', message)
  }
  return { path: path as VirtualPath, inFile }
}
