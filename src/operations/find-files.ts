/** Finds files and folders by a pattern of their paths. */
import * as z from 'zod'
import { openCallerFiles } from './caller-files.ts'
import { assertFolder, depthBelow, entryOf, entrySchema } from './file-entries.ts'
import { parseGlob } from './glob.ts'
import type { FileEntry } from './list-area.ts'
import { defineOperation, folderField, limitField } from './operation.ts'

export const findFiles = defineOperation({
  name: 'find',
  tool: 'file_find',
  title: 'Find files',
  description:
    'Finds files and folders whose path matches a glob pattern, such as "**/*.csv" for all CSV files or "*.md" for those directly in the folder.',
  scope: 'files:read',
  isDestructive: false,
  isIdempotent: true,
  input: z.strictObject({
    path: folderField,
    pattern: z
      .string('must be a string')
      .min(1, 'must not be empty')
      .max(512, 'must have at most 512 characters')
      .describe(
        'Matched against paths below the folder: * and ? inside a name, ** for any folders, [a-z], {a,b}.',
      ),
    limit: limitField(100).describe('Entries in the answer.'),
  }),
  output: z.strictObject({
    entries: z.array(entrySchema),
    truncated: z.boolean().describe('Whether there are more. Then narrow the pattern.'),
  }),

  async run(ctx, { pattern, limit, ...input }) {
    const { maxDepth } = ctx.service.config
    const files = await openCallerFiles(ctx)
    const folder = files.parseFolder(input.path)
    const isMatch = parseGlob(pattern)
    const prefixLength = folder === '' ? 0 : folder.length + 1
    // Only these lead out of the folder itself.
    const recursive = pattern.includes('/') || pattern.includes('**')

    const found: FileEntry[] = []
    let isEmpty = true
    for await (const entry of files.list(folder, { recursive })) {
      isEmpty = false
      const isFound =
        isMatch(entry.path.slice(prefixLength)) && depthBelow(folder, entry.path) <= maxDepth
      if (isFound && found.length === limit) {
        return { entries: found.map(entryOf), truncated: true }
      }
      if (isFound) found.push(entry)
    }
    if (isEmpty) await assertFolder(files, folder)
    return { entries: found.map(entryOf), truncated: false }
  },
})
