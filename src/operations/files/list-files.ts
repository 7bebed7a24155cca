/** Lists a folder page by page, and finds files by a glob pattern. */
import * as z from 'zod'
import { openCallerFiles, quoted, type CallerFiles } from '../caller-files.ts'
import { cursorField, flagField, folderField, limitField, textField } from '../fields.ts'
import { operation, READS_ONLY } from '../operation.ts'
import type { FileEntry, ListPosition } from '../../files/store/list-area.ts'
import type { FolderPath, VirtualPath } from '../../files/path.ts'
import { AppError } from '../../errors.ts'
import { lastSegment } from '../../links/file-link.ts'
import { timestamp } from '../timestamp.ts'
import { once } from '../../lib/once.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { parseGlob, type Glob } from './glob.ts'

export const listEntries = operation({
  name: 'list',
  route: 'POST /fs/list',
  tool: 'folder_list',
  title: 'List a folder',
  description:
    'Lists the files and folders in a folder. If cursor is not null, there is more: call again with it.',
  scopes: ['files:read'],
  hints: READS_ONLY,
  forModels: { defaults: { limit: 100 } },
  input: () =>
    z.strictObject({
      path: folderField(),
      recursive: flagField(false).describe('Also everything in the folders below.'),
      limit: limitField(1000).describe('Entries in one response.'),
      cursor: cursorField(),
    }),
  output: () =>
    z.strictObject({
      path: z.string().describe('"." for the root.'),
      entries: z.array(entrySchema()),
      cursor: z.string().nullable().describe('null at the end.'),
    }),

  async run(ctx, { recursive, limit, ...input }) {
    const { maxDepth } = ctx.service.config
    const files = await openCallerFiles(ctx)
    const folder = files.parseFolder(input.path)
    const startAfter =
      input.cursor === undefined ? undefined : parseCursor(files, folder, input.cursor)

    const page: FileEntry[] = []
    let hasMore = false
    for await (const entry of files.list(folder, { recursive, startAfter })) {
      // A cursor must be a valid path.
      if (depthBelow(folder, entry.path) > maxDepth || !files.canSpell(entry.path)) continue
      hasMore = page.length === limit
      if (hasMore) break
      page.push(entry)
    }
    if (page.length === 0) await assertFolder(files, folder)
    return {
      path: folder === '' ? '.' : folder,
      entries: page.map(entryOf),
      cursor: hasMore ? cursorAfter(folder, page.at(-1)!) : null,
    }
  },
})

export const findFiles = operation({
  name: 'find',
  route: 'POST /fs/find',
  tool: 'file_find',
  title: 'Find files',
  description:
    'Finds files and folders by a glob pattern: "**/*.csv" finds all CSV files, "*.md" those directly in the folder.',
  scopes: ['files:read'],
  hints: READS_ONLY,
  input: () =>
    z.strictObject({
      path: folderField(),
      pattern: textField()
        .min(1, 'must not be empty')
        .max(512, 'must have at most 512 characters')
        .describe('* and ? inside a name, ** for any folders, [a-z], {a,b}.'),
      limit: limitField(100).describe('Entries in the response.'),
    }),
  output: () =>
    z.strictObject({
      entries: z.array(entrySchema()),
      truncated: z.boolean().describe('Whether there are more. Then narrow the pattern.'),
    }),

  async run(ctx, { pattern, limit, ...input }) {
    const { maxDepth } = ctx.service.config
    const files = await openCallerFiles(ctx)
    const folder = files.parseFolder(input.path)
    const glob = parseGlob(pattern)
    const prefixLength = folder === '' ? 0 : folder.length + 1

    const found: FileEntry[] = []
    let isEmpty = true
    for await (const entry of candidates(files, folder, glob)) {
      isEmpty = false
      const isFound =
        glob.matches(entry.path.slice(prefixLength)) &&
        depthBelow(folder, entry.path) <= maxDepth &&
        files.canSpell(entry.path)
      if (isFound && found.length === limit) {
        return { entries: found.map(entryOf), truncated: true }
      }
      if (isFound) found.push(entry)
    }
    if (isEmpty) await assertFolder(files, folder)
    return { entries: found.map(entryOf), truncated: false }
  },
})

/** Lists from the deepest folder that the pattern names literally. */
async function* candidates(
  files: CallerFiles,
  folder: FolderPath,
  glob: Glob,
): AsyncGenerator<FileEntry> {
  const named = [folder, glob.folder].filter((part) => part !== '').join('/')
  // Nothing matches an invalid path such as "..", so the listing can start anywhere.
  if (glob.folder === '' || !files.canSpell(named)) {
    return yield* files.list(folder, { recursive: glob.isDeep })
  }
  const start = files.parsePath(named)
  if (glob.matches(glob.folder)) yield* itself(files, start)
  yield* files.list(start, { recursive: glob.isDeep })
}

/** The entry at a path, as a listing of its parent would have it. */
async function* itself(files: CallerFiles, path: VirtualPath): AsyncGenerator<FileEntry> {
  const info = path === files.area.sharedDir ? null : await files.head(path)
  if (info) yield { path, type: 'file', bytes: info.bytes, modifiedAt: info.modifiedAt }
  if (await files.holdsAny(path)) yield { path, type: 'folder' }
}

const entrySchema = () =>
  z.strictObject({
    name: z.string(),
    path: z.string(),
    type: z.enum(['file', 'folder']),
    bytes: z.int().nullable().describe('null for a folder.'),
    modified_at: z.string().nullable().describe('null for a folder.'),
  })

export type Entry = Readonly<z.output<ReturnType<typeof entrySchema>>>

function entryOf({ path, type, bytes, modifiedAt }: FileEntry): Entry {
  const modified_at = modifiedAt ? timestamp(modifiedAt) : null
  return { name: lastSegment(path), path, type, bytes: bytes ?? null, modified_at }
}

/** Levels below the listed folder; 1 for its direct entries. */
function depthBelow(folder: FolderPath, path: VirtualPath): number {
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
function cursorAfter(folder: FolderPath, { path, type }: ListPosition): string {
  return encodeCursor([folder, path, type])
}

/** @throws {AppError} `invalid_request` for anything but a cursor of this folder. */
function parseCursor(files: CallerFiles, folder: FolderPath, cursor: string): ListPosition {
  const [where, path, type] = position().safeParse(decodeCursor(cursor)).data ?? []
  const isBelow = folder === '' || path?.startsWith(`${folder}/`)
  if (!path || !type || where !== folder || !isBelow || !files.canSpell(path)) {
    const message = 'cursor: does not belong to this folder. Leave it out to begin again.'
    throw new AppError('invalid_request', message)
  }
  return { path: path as VirtualPath, type }
}

const position = once(() => z.tuple([z.string(), z.string(), z.enum(['file', 'folder'])]))
