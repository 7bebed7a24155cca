/** Lists a folder, page by page. */
import * as z from 'zod'
import { openCallerFiles } from '../caller-files.ts'
import {
  assertFolder,
  cursorAfter,
  depthBelow,
  entryOf,
  entrySchema,
  parseCursor,
} from './file-entries.ts'
import { folderField, limitField, recursiveField } from '../fields.ts'
import { operation, READS_ONLY } from '../operation.ts'
import type { FileEntry } from '../../files/store/list-area.ts'

export const listFolder = operation({
  name: 'list',
  route: 'POST /fs/list',
  tool: 'folder_list',
  title: 'List a folder',
  description:
    'Lists the files and folders in a folder. When cursor is not null there is more: call again with it.',
  scopes: ['files:read'],
  hints: READS_ONLY,
  forModels: { defaults: { limit: 100 } },
  input: () =>
    z.strictObject({
      path: folderField(),
      recursive: recursiveField().default(false).describe('Also everything in the folders below.'),
      limit: limitField(1000).describe('Entries in one answer.'),
      cursor: z.string('must be a string').optional().describe('From the answer before.'),
    }),
  output: () =>
    z.strictObject({
      path: z.string().describe('"." for the root.'),
      entries: z.array(entrySchema()),
      cursor: z.string().nullable().describe('null when this is the end.'),
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
