/** Deletes a file, or a folder with everything in it. */
import * as z from 'zod'
import { AppError, InvalidPath } from '../errors.ts'
import { inParallel } from '../files/in-parallel.ts'
import type { VirtualPath } from '../files/path.ts'
import { openCallerFiles, quoted, type CallerFiles } from './caller-files.ts'
import type { FileEntry } from './list-area.ts'
import { defineOperation, pathField, recursiveField } from './operation.ts'

/** Enough to hide the way to the store; Workers allow few requests at once anyway. */
const ROOM = { jobs: 6, bytes: Infinity }

export const deletePath = defineOperation({
  name: 'delete',
  tool: 'file_delete',
  title: 'Delete a file or folder',
  description:
    'Deletes a file, an empty folder, or with recursive a folder and everything in it. This cannot be undone.',
  scope: 'files:write',
  isDestructive: true,
  isIdempotent: true,
  input: z.strictObject({
    path: pathField,
    recursive: recursiveField.default(false).describe('Needed for a folder that is not empty.'),
    force: z
      .boolean('must be true or false')
      .default(false)
      .describe('true does not mind when there is nothing of this name.'),
  }),
  output: z.strictObject({
    path: z.string(),
    deleted: z.int().describe('How many files are gone; 1 for an empty folder.'),
  }),

  async run(ctx, { recursive, force, ...input }) {
    const files = await openCallerFiles(ctx)
    const path = files.parseAny(input.path)
    if (path === '') throw new InvalidPath('path is not valid: the root cannot be deleted')
    const type = await files.typeOf(path)
    if (type === 'file') {
      await files.remove(path)
      return { path, deleted: 1 }
    }
    if (type === 'folder') return { path, deleted: await removeFolder(files, path, recursive) }
    if (force) return { path, deleted: 0 }
    throw new AppError('not_found', `There is no file or folder ${quoted(path)}. Check the name.`)
  },
})

async function removeFolder(
  files: CallerFiles,
  folder: VirtualPath,
  recursive: boolean,
): Promise<number> {
  const found: FileEntry[] = []
  for await (const entry of files.list(folder, { recursive })) {
    found.push(entry)
    if (!recursive) {
      const message = `The folder ${quoted(folder)} is not empty. Set recursive to delete everything in it.`
      throw new AppError('conflict', message)
    }
  }
  let failure: unknown
  await inParallel(
    [...found, { path: folder, type: 'folder' as const }],
    ROOM,
    () => 0,
    async ({ path, type }) => {
      if (failure) return
      const removed = type === 'file' ? files.remove(path) : files.removeMark(path)
      await removed.catch((error: unknown) => {
        failure = error
      })
    },
  )
  if (failure) throw failure
  return found.filter(({ type }) => type === 'file').length || 1
}
