/** Deletes a file, or a folder with everything in it. */
import * as z from 'zod'
import { AppError, InvalidPath } from '../../errors.ts'
import type { VirtualPath } from '../../files/path.ts'
import { isFolderAddress } from '../../links/file-link.ts'
import { openCallerFiles, quoted, type CallerFiles } from '../caller-files.ts'
import { flagField, pathField } from '../fields.ts'
import { operation } from '../operation.ts'
import { inParallel } from '../../lib/parallel.ts'
import type { FileEntry } from '../../files/store/list-area.ts'

/** Enough to hide the store's latency; Workers allow few concurrent requests anyway. */
const ROOM = { jobs: 6, bytes: Infinity }

/** A folder may have more entries than fit into memory. */
const BATCH_ENTRIES = 1000

export const deletePath = operation({
  name: 'delete',
  route: 'POST /fs/delete',
  tool: 'file_delete',
  title: 'Delete a file or folder',
  description:
    'Deletes a file, an empty folder, or with recursive a folder and everything in it. This cannot be undone.',
  scopes: ['files:write'],
  hints: { destructive: true, idempotent: true },
  input: () =>
    z.strictObject({
      path: pathField(),
      recursive: flagField(false).describe('Needed for a folder that is not empty.'),
      force: flagField(false).describe('Succeeds even if nothing exists.'),
    }),
  output: () =>
    z.strictObject({
      path: z.string(),
      deleted: z.int().describe('Number of deleted files; 1 for an empty folder.'),
    }),

  async run(ctx, { recursive, force, ...input }) {
    const files = await openCallerFiles(ctx)
    const path = files.parseAny(input.path)
    if (path === '') throw new InvalidPath('path is not valid: the root cannot be deleted')
    const type = await files.typeAt(input.path)
    if (type === 'file') {
      await files.remove(path)
      return { path, deleted: 1 }
    }
    if (type === 'folder') return { path, deleted: await removeFolder(files, path, recursive) }
    if (force) return { path, deleted: 0 }
    const what = isFolderAddress(input.path) ? 'folder' : 'file or folder'
    throw new AppError('not_found', `There is no ${what} ${quoted(path)}. Check the name.`)
  },
})

async function removeFolder(
  files: CallerFiles,
  folder: VirtualPath,
  recursive: boolean,
): Promise<number> {
  const changing = files.forChanges()
  let deleted = 0
  let batch: FileEntry[] = []
  for await (const entry of changing.list(folder, { recursive })) {
    if (!recursive) {
      const message = `The folder ${quoted(folder)} is not empty. Set recursive to delete everything in it.`
      throw new AppError('conflict', message)
    }
    batch.push(entry)
    if (entry.type === 'file') deleted++
    if (batch.length < BATCH_ENTRIES) continue
    await removeAll(changing, batch)
    batch = []
  }
  await removeAll(changing, [...batch, { path: folder, type: 'folder' }])
  // The shared folder exists even without its marker.
  return deleted || (folder === files.area.sharedDir ? 0 : 1)
}

async function removeAll(files: CallerFiles, entries: readonly FileEntry[]): Promise<void> {
  let failure: unknown
  const remove = async ({ path, type }: FileEntry) => {
    if (failure) return
    const removed = type === 'file' ? files.remove(path) : files.removeMarker(path)
    await removed.catch((error: unknown) => {
      failure = error
    })
  }
  await inParallel(entries, ROOM, () => 0, remove)
  if (failure) throw failure
}
