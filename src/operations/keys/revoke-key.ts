/** Revokes an API key of the caller's tenant. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { textField } from '../fields.ts'
import { operation } from '../operation.ts'
import { timestamp } from '../timestamp.ts'
import { isKeyId } from './key-record.ts'
import { TenantKeys } from './key-store.ts'
import { forgetKey } from './known-keys.ts'

export const revokeKey = operation({
  name: 'revoke_key',
  route: 'DELETE /keys/{id}',
  title: 'Revoke an API key',
  description:
    'Revokes a key of your tenant, within 60 seconds everywhere. Its background runs that have not begun are cancelled; links created with it work until they expire or are revoked.',
  scopes: ['admin'],
  hints: { destructive: true, idempotent: true },
  audit: 'key',
  input: () => z.strictObject({ id: textField().describe('The id of the key.') }),
  output: () =>
    z.strictObject({
      id: z.string().describe('As in the request.'),
      revoked_at: z.string().describe('When it was revoked.'),
    }),

  async run({ service, caller }, { id }) {
    const keys = await TenantKeys.of(service, caller.tenant)
    const record = isKeyId(id) ? await keys.get(id) : undefined
    // The same for a key of another tenant, so that ids reveal nothing.
    if (!record) throw new AppError('not_found', 'There is no such key.')
    try {
      await keys.remove(record)
    } finally {
      forgetKey(service, record.hash)
    }
    return { id, revoked_at: timestamp(service.now()) }
  },
})
