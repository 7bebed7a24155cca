/** Makes an API key of the caller's tenant. */
import * as z from 'zod'
import { assertScopes, isName, SCOPES, type Caller, type Scope } from '../../caller.ts'
import type { Config } from '../../config.ts'
import { AppError, InvalidPath } from '../../errors.ts'
import { parseFolder } from '../../files/path.ts'
import { textField } from '../fields.ts'
import { operation } from '../operation.ts'
import { pathRules, type RequestContext } from '../service.ts'
import { describeKey, keySchema } from './key-answer.ts'
import { isOver, newKey, newKeyId } from './key-record.ts'
import { TenantKeys } from './key-store.ts'

const MIN_TTL_S = 60
const MAX_TTL_S = 10 * 365 * 24 * 3600
const MAX_NAME_LENGTH = 100
const MAX_PATHS = 16
/** Of a tenant. */
const MAX_KEYS = 1_000

export const createKey = operation({
  name: 'create_key',
  route: 'POST /keys',
  title: 'Make an API key',
  description:
    'Creates a key for your tenant, with scopes and paths no wider than your own and never `admin`. It works at once. `key` is shown only here: the service keeps its SHA-256.',
  scopes: ['admin'],
  hints: { destructive: false, idempotent: false },
  audit: 'key',
  input: () =>
    z.strictObject({
      name: textField()
        .min(1, 'must not be empty')
        .max(MAX_NAME_LENGTH, `must have at most ${MAX_NAME_LENGTH} characters`)
        .optional()
        .describe('What it is for.'),
      user: textField()
        .refine(isName, 'must have 1 to 256 characters')
        .optional()
        .describe('Whose files it opens; by default those of callers without a user.'),
      scopes: z
        .array(z.enum(SCOPES, `must be one of ${SCOPES.join(', ')}`), 'must be a list')
        .min(1, 'must not be empty')
        .optional()
        .describe('By default all that you have.'),
      paths: z
        .array(textField(), 'must be a list')
        .min(1, 'must not be empty')
        .max(MAX_PATHS, `must have at most ${MAX_PATHS} paths`)
        .optional()
        .describe('The only folders it opens; by default all that you may open.'),
      ttl_s: z
        .int('must be a whole number')
        .min(MIN_TTL_S, `must be at least ${MIN_TTL_S}`)
        .max(MAX_TTL_S, `must be at most ${MAX_TTL_S}`)
        .optional()
        .describe('Its lifetime in seconds; by default it does not expire.'),
    }),
  output: () =>
    keySchema().extend({ key: z.string().describe('Sent as a bearer token. Keep it secret.') }),

  async run({ service, caller }, { name, user, scopes, paths, ttl_s }) {
    const granted = scopesOf(caller, scopes)
    const folders = paths?.map((path) => folderOf(path, service.config, caller)) ?? caller.paths
    const keys = await TenantKeys.of(service, caller.tenant)
    await assertRoom(service, keys)
    const { key, hash } = await newKey()
    const createdAt = service.now().getTime()
    // Whole seconds, as in responses and ids.
    const expiresAt = ttl_s && (Math.floor(createdAt / 1000) + ttl_s) * 1000
    const record = {
      id: newKeyId(createdAt, expiresAt),
      hash,
      tenant: caller.tenant,
      user,
      name,
      scopes: granted,
      paths: folders,
      quotas: caller.quotas,
      createdAt,
      createdBy: caller.user,
      expiresAt,
    }
    await keys.add(record)
    return { ...describeKey(record), key }
  },
})

/** @throws {AppError} `forbidden` */
function scopesOf(caller: Caller, asked: readonly Scope[] | undefined): readonly Scope[] {
  const own = SCOPES.filter((scope) => caller.scopes.has(scope))
  if (own.length === 0) {
    throw new AppError('forbidden', 'The token has no scope that a key could have.')
  }
  assertScopes(caller, asked ?? [])
  return SCOPES.filter((scope) => (asked ?? own).includes(scope))
}

/** @throws {InvalidPath} also for what the caller may not open. */
function folderOf(raw: string, config: Config, caller: Caller): string {
  const folder = parseFolder(raw, pathRules(config, caller))
  if (folder === '') throw new InvalidPath('path cannot be empty')
  return folder
}

/** @throws {AppError} `conflict` */
async function assertRoom(service: RequestContext['service'], keys: TenantKeys): Promise<void> {
  let count = 0
  for await (const id of keys.ids()) {
    if (isOver(id, service.now()) || ++count < MAX_KEYS) continue
    const message = `There are ${MAX_KEYS} keys already. Revoke some that are not used.`
    throw new AppError('conflict', message)
  }
}
