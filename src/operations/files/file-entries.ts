/** Listing entries and page cursors. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { FolderPath, VirtualPath } from '../../files/path.ts'
import { quoted, type CallerFiles } from '../caller-files.ts'
import { timestamp } from '../timestamp.ts'
import { fromBase64url, toBase64url } from '../../lib/encode.ts'
import { once } from '../../lib/once.ts'
import type { FileEntry, ListPosition } from '../../files/store/list-area.ts'

export const entrySchema = () =>
  z.strictObject({
    name: z.string(),
    path: z.string(),
    type: z.enum(['file', 'folder']),
    bytes: z.int().nullable().describe('null for a folder.'),
    modified_at: z.string().nullable().describe('null for a folder.'),
  })

export type Entry = Readonly<z.output<ReturnType<typeof entrySchema>>>

export function entryOf({ path, type, bytes, modifiedAt }: FileEntry): Entry {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const modified_at = modifiedAt ? timestamp(modifiedAt) : null
  return { name, path, type, bytes: bytes ?? null, modified_at }
}

/** Levels below the listed folder; 1 for its direct entries. */
export function depthBelow(folder: FolderPath, path: VirtualPath): number {
  return path.slice(folder === '' ? 0 : folder.length + 1).split('/').length
}

/** @throws {AppError} `not_found`, or `conflict` for a file. */
export async function assertFolder(files: CallerFiles, folder: FolderPath): Promise<void> {
  const type = await files.typeOf(folder)
  if (type === 'file') {
    throw new AppError('conflict', `${quoted(folder)} is a file, not a folder. Read it instead.`)
  }
  if (type === null) {
    const message = `There is no folder ${quoted(folder)}. Check the name, or list the folder above it.`
    throw new AppError('not_found', message)
  }
}

/** Valid for this folder only. */
export function cursorAfter(folder: FolderPath, { path, type }: ListPosition): string {
  return toBase64url(new TextEncoder().encode(JSON.stringify([folder, path, type])))
}

/** @throws {AppError} `invalid_request` for anything but a cursor of this folder. */
export function parseCursor(files: CallerFiles, folder: FolderPath, cursor: string): ListPosition {
  const checked = position().safeParse(fromBase64url(cursor))
  const [where, path, type] = checked.data ?? []
  const isBelow = folder === '' || path?.startsWith(`${folder}/`)
  if (!path || !type || where !== folder || !isBelow || !files.canSpell(path)) {
    const message = 'cursor: does not belong to this folder. Leave it out to begin again.'
    throw new AppError('invalid_request', message)
  }
  return { path: path as VirtualPath, type }
}

const position = once(() =>
  z
    .instanceof(Uint8Array)
    .transform((bytes, ctx) => {
      try {
        return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
      } catch {
        ctx.addIssue('is not JSON')
        return z.NEVER
      }
    })
    .pipe(z.tuple([z.string(), z.string(), z.enum(['file', 'folder'])])),
)
