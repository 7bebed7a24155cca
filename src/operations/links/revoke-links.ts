/** Revokes links that were given before. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { pause } from '../../lib/abort.ts'
import { openCallerFiles } from '../caller-files.ts'
import { pathField, textField } from '../fields.ts'
import { operation } from '../operation.ts'
import { timestamp } from '../timestamp.ts'
import { lifetimeOf } from './file-links.ts'
import { revokeLinksTo } from './revoked-links.ts'

const allField = () => z.literal(true, 'must be true')

const eitherOf = (path: z.ZodString, all: ReturnType<typeof allField>) =>
  z
    .strictObject({ path: path.optional(), all: all.optional() })
    .refine((given) => (given.path === undefined) !== (given.all === undefined), {
      message: 'give either path or all',
    })

export const revokeLinks = operation({
  name: 'links/revoke',
  route: 'POST /links/revoke',
  tool: 'revoke_links',
  title: 'Revoke links',
  description:
    'Revokes the existing links and upload links to a file, to a folder and everything below it, ' +
    'or to all your files, within 60 seconds everywhere. Links created afterwards work. Presigned ' +
    'URLs cannot be revoked; `urls_until` says when the last one expires.',
  scopes: ['files:write'],
  hints: { destructive: true, idempotent: true },
  audit: 'link',
  input: () => eitherOf(pathField(), allField().describe('Instead of a path.')),
  output: () =>
    z.strictObject({
      path: z.string().describe('What was revoked; `.` for all.'),
      revoked_at: z.string().describe('Links issued until then no longer open.'),
      urls_until: z
        .string()
        .optional()
        .describe('Presigned URLs may work until then; absent if the store presigns nothing.'),
    }),

  async run(ctx, { path: raw, all }) {
    const { service, caller } = ctx
    if (service.addressOf) {
      throw new AppError('invalid_request', 'Links to files of this machine cannot be revoked.')
    }
    if (all && caller.paths) {
      throw new AppError('forbidden', 'The token is limited to some paths. Revoke each of them.')
    }
    const files = await openCallerFiles(ctx)
    const path = raw === undefined ? '' : files.parseFolder(raw)
    const revokedAt = await revokeLinksTo(service, files.area.owner, path)
    const { presignGet, presignPut } = service.storage
    const { expiresAt } = lifetimeOf(ctx, service.config.urlTtlS)
    // Tokens have whole seconds: a link made within this one would be revoked as well.
    await pause(1000 - (service.now().getTime() % 1000), undefined)
    return {
      path: path || '.',
      revoked_at: timestamp(revokedAt),
      ...((presignGet ?? presignPut) && { urls_until: timestamp(expiresAt) }),
    }
  },
  forModels: {
    description: 'Revokes existing links to a path or to all files. Presigned URLs keep working.',
    input: () =>
      eitherOf(textField().describe('And all below it.'), allField().describe('Of all files.')),
    output: () => z.strictObject({ revoked_at: z.string(), urls_until: z.string().optional() }),
  },
})
