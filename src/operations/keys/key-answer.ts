/** How responses show an API key: never itself, nor its hash. */
import * as z from 'zod'
import { SCOPES } from '../../caller.ts'
import { once } from '../../lib/once.ts'
import { timestamp } from '../timestamp.ts'
import type { KeyRecord } from './key-record.ts'

export const keySchema = once(() =>
  z.strictObject({
    id: z.string().describe('Identifies the key; it is not secret.'),
    name: z.string().optional().describe('What it is for.'),
    user: z.string().optional().describe('Whose files it opens; absent means no user.'),
    scopes: z.array(z.enum(SCOPES)).describe('What it may do.'),
    paths: z.array(z.string()).optional().describe('The only folders it opens; absent means all.'),
    created_at: z.string().describe('When it was created.'),
    created_by: z.string().nullable().describe('The user who created it; null without one.'),
    expires_at: z.string().optional().describe('Absent if it does not expire.'),
  }),
)

export function describeKey(record: KeyRecord): z.output<ReturnType<typeof keySchema>> {
  const { id, name, user, scopes, paths, createdAt, createdBy, expiresAt } = record
  return {
    id,
    ...(name !== undefined && { name }),
    ...(user !== undefined && { user }),
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    ...(paths && { paths: [...paths] }),
    created_at: timestamp(new Date(createdAt)),
    created_by: createdBy,
    ...(expiresAt !== undefined && { expires_at: timestamp(new Date(expiresAt)) }),
  }
}
