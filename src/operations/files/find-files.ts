/** Finds files and folders by a glob pattern. */
import * as z from 'zod'
import type { FolderPath, VirtualPath } from '../../files/path.ts'
import { openCallerFiles, type CallerFiles } from '../caller-files.ts'
import { assertFolder, depthBelow, entryOf, entrySchema } from './file-entries.ts'
import { parseGlob, type Glob } from './glob.ts'
import { folderField, limitField } from '../fields.ts'
import { operation, READS_ONLY } from '../operation.ts'
import type { FileEntry } from '../../files/store/list-area.ts'

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
      pattern: z
        .string('must be a string')
        .min(1, 'must not be empty')
        .max(512, 'must have at most 512 characters')
        .describe('* and ? inside a name, ** for any folders, [a-z], {a,b}.'),
      limit: limitField(100).describe('Entries in the answer.'),
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
