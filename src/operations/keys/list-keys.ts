/** Lists the API keys of the caller's tenant that the service made. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { cursorField } from '../fields.ts'
import { operation, READS_ONLY } from '../operation.ts'
import { describeKey, keySchema } from './key-answer.ts'
import { isKeyId, isOver } from './key-record.ts'
import { TenantKeys } from './key-store.ts'

const MAX_ROWS = 100
const READ_AT_ONCE = 10

export const listKeys = operation({
  name: 'list_keys',
  route: 'GET /keys',
  title: 'List API keys',
  description:
    'The keys of your tenant that were created here, newest first, except those that have expired. `next` is present while there are more. Keys in the setting `API_KEYS` are not listed.',
  scopes: ['admin'],
  hints: READS_ONLY,
  input: () =>
    z.strictObject({
      limit: z
        .int('must be a whole number')
        .min(1, 'must be at least 1')
        .max(MAX_ROWS, `must be at most ${MAX_ROWS}`)
        .default(MAX_ROWS),
      cursor: cursorField(),
    }),
  output: () =>
    z.strictObject({
      keys: z.array(keySchema()).describe('Newest first.'),
      next: z.string().optional().describe('The cursor of the next page.'),
    }),

  async run({ service, caller }, { limit, cursor }) {
    if (cursor !== undefined && !isKeyId(cursor)) {
      throw new AppError('invalid_request', 'cursor: must be next from an earlier response')
    }
    const store = await TenantKeys.of(service, caller.tenant)
    const ids: string[] = []
    for await (const id of store.ids(cursor)) {
      if (isOver(id, service.now())) continue
      ids.push(id)
      if (ids.length > limit) break
    }
    const shown = ids.slice(0, limit)
    const keys = []
    for (let at = 0; at < shown.length; at += READ_AT_ONCE) {
      const part = shown.slice(at, at + READ_AT_ONCE)
      const records = await Promise.all(part.map((id) => store.get(id)))
      // Some may have been revoked meanwhile.
      keys.push(...records.flatMap((record) => (record ? [describeKey(record)] : [])))
    }
    return { keys, ...(ids.length > limit && { next: shown.at(-1) }) }
  },
})
