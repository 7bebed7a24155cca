/** Reports whether a path exists. */
import * as z from 'zod'
import { openCallerFiles } from '../caller-files.ts'
import { pathField } from '../fields.ts'
import { operation, READS_ONLY } from '../operation.ts'

export const pathExists = operation({
  name: 'exists',
  route: 'POST /fs/exists',
  tool: 'file_exists',
  title: 'Check a path',
  description: 'Says whether there is a file or folder at a path.',
  scopes: ['files:read'],
  hints: READS_ONLY,
  input: () => z.strictObject({ path: pathField() }),
  output: () =>
    z.strictObject({
      exists: z.boolean(),
      type: z.enum(['file', 'folder']).nullable().describe('null when nothing is there.'),
    }),

  async run(ctx, input) {
    const files = await openCallerFiles(ctx)
    const type = await files.typeAt(input.path)
    return { exists: type !== null, type }
  },
})
