/** Creates a folder that exists while empty. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { foldersAbove } from '../../files/path.ts'
import { openCallerFiles, quoted } from '../caller-files.ts'
import { flagField, pathField } from '../fields.ts'
import { operation } from '../operation.ts'

export const makeFolder = operation({
  name: 'mkdir',
  route: 'POST /fs/mkdir',
  tool: 'folder_create',
  title: 'Create a folder',
  description: 'Creates an empty folder. Writing a file needs none: missing folders are created.',
  scopes: ['files:write'],
  hints: { destructive: false, idempotent: true },
  input: () =>
    z.strictObject({
      path: pathField('output/charts'),
      recursive: flagField(true).describe('false: the folder above has to exist.'),
    }),
  output: () =>
    z.strictObject({
      path: z.string(),
      created: z.boolean().describe('false if the folder already existed.'),
    }),

  async run(ctx, { recursive, ...input }) {
    const files = await openCallerFiles(ctx)
    const path = files.parseAny(input.path)
    const type = await files.typeOf(path)
    if (path === '' || type === 'folder') return { path: path || '.', created: false }
    if (type === 'file') {
      throw new AppError('conflict', `${quoted(path)} is a file. Choose another name.`)
    }
    await files.assertNoFileAbove(path)
    const parent = foldersAbove(path).at(-1) ?? ''
    if (!recursive && (await files.typeOf(parent)) === null) {
      const message = `There is no folder ${quoted(parent)} to create it in. Create that first, or set recursive.`
      throw new AppError('not_found', message)
    }
    await files.makeFolder(path)
    return { path, created: true }
  },
})
