/** Settings: defaults, valid values and error messages. */
import { describe, expect, it } from 'vitest'
import { InvalidConfig, parseConfig, type Config } from '../../src/config.ts'
import { DEFAULT_LIMITS, LIMIT_ROWS, WORKERS_LIMITS } from '../../src/limits.ts'
import {
  MEMORY_INITIAL_PAGES,
  MEMORY_MAX_PAGES,
  PAGE_BYTES,
} from '../../src/vm/limits/memory-size.ts'

const AUTH_SECRET = 'verifies the tokens of the tests'
const LINK_SECRET = 'signs the links of the tests'
const REQUIRED = { AUTH_SECRET, LINK_SECRET }
const HASH = 'ab'.repeat(32)
const S3 = {
  S3_ENDPOINT: 'https://s3.example',
  S3_BUCKET: 'files',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'key',
}
const JWKS = {
  AUTH_JWKS_URL: 'https://issuer.example/keys',
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'moonbucket',
}

const DEFAULTS: Config = {
  auth: {
    secret: AUTH_SECRET,
    jwksUrl: undefined,
    issuer: undefined,
    audience: undefined,
    tenantClaim: 'tenant',
    defaultScopes: ['execute', 'files:read', 'files:write'],
    apiKeys: new Map(),
  },
  signIn: undefined,
  presigning: undefined,
  keyPrefix: '',
  sharedDir: 'share',
  allowedPaths: undefined,
  linkSecrets: [LINK_SECRET],
  linkTtlS: 86_400,
  urlTtlS: 86_400,
  publicUrl: undefined,
  trustsProxy: false,
  allowedOrigins: [],
  allowsLoopbackApis: false,
  isIoEnabled: true,
  reportMaxBytes: 512_000,
  runDays: 7,
  webhookHosts: [],
  webhookSecret: undefined,
  defaultEncoding: 'utf-8',
  maxFileBytes: 10_485_760,
  maxDepth: 32,
  metricsKey: undefined,
  keepDays: {},
  storesAudit: false,
  showsAuditPaths: false,
  limits: DEFAULT_LIMITS,
  quotas: {},
}

/** Every limit that has a setting. */
const LIMITED = LIMIT_ROWS.flatMap(([limit, { setting }]) =>
  setting ? [[setting.name, limit, setting] as const] : [],
)

/** The line that stops the start. */
function problemOf(env: Record<string, unknown>): string {
  try {
    parseConfig(env)
  } catch (error) {
    if (error instanceof InvalidConfig) return error.message
    throw error
  }
  return 'none'
}

describe('with only the secrets', () => {
  it('every setting has its default', () => {
    expect(parseConfig(REQUIRED)).toMatchObject({ ...DEFAULTS })
  })

  it('the limits are passed in by the runtime', () => {
    const limits = { ...DEFAULT_LIMITS, memoryBytes: 1 }
    expect(parseConfig(REQUIRED, { limits }).limits).toEqual(limits)
  })

  it('the store is chosen by the runtime', () => {
    const bucket = { ...REQUIRED, S3_BUCKET: 'files' }
    expect(parseConfig(REQUIRED).s3).toBeUndefined()
    expect(parseConfig(bucket, { storage: 's3' }).s3).toMatchObject({ bucket: 'files' })
    expect(parseConfig({ ...REQUIRED, STORAGE: 'r2' }, { storage: 's3' }).s3).toBeUndefined()
  })

  it('empty settings and bindings that are not strings count as absent', () => {
    const env = { PUBLIC_URL: '', FUEL: '', KEY_PREFIX: undefined, S3_BUCKET: null, FILES: {} }
    expect(parseConfig({ ...REQUIRED, ...env })).toEqual(parseConfig(REQUIRED))
  })
})

describe('a valid setting', () => {
  const auth = (changes: Partial<Config['auth']>) => ({ auth: { ...DEFAULTS.auth, ...changes } })
  const limits = (changes: Partial<Config['limits']>) => ({
    limits: { ...DEFAULT_LIMITS, ...changes },
  })

  it.each<[string, string | number | boolean, Partial<Config>]>([
    ['KEY_PREFIX', 'team', { keyPrefix: 'team/' }],
    ['KEY_PREFIX', 'team/files/', { keyPrefix: 'team/files/' }],
    ['AUTH_ISSUER', 'me', auth({ issuer: 'me' })],
    ['AUTH_AUDIENCE', 'you', auth({ audience: 'you' })],
    ['AUTH_TENANT_CLAIM', 'org', auth({ tenantClaim: 'org' })],
    ['AUTH_DEFAULT_SCOPES', 'execute', auth({ defaultScopes: ['execute'] })],
    [
      'AUTH_DEFAULT_SCOPES',
      ' files:read, execute ',
      auth({ defaultScopes: ['files:read', 'execute'] }),
    ],
    ['LINK_SECRET', `${LINK_SECRET}, ${AUTH_SECRET}`, { linkSecrets: [LINK_SECRET, AUTH_SECRET] }],
    ['PUBLIC_URL', 'https://files.example', { publicUrl: 'https://files.example' }],
    ['PUBLIC_URL', 'https://files.example/lua/', { publicUrl: 'https://files.example/lua' }],
    ['TRUST_PROXY', 'true', { trustsProxy: true }],
    ['TRUST_PROXY', true, { trustsProxy: true }],
    ['LINK_TTL_S', '60', { linkTtlS: 60, urlTtlS: 60 }],
    ['URL_TTL_S', '60', { urlTtlS: 60 }],
    ['KEEP_DAYS', '{"tmp/": 1, "output": 30}', { keepDays: { 'tmp/': 1, output: 30 } }],
    ['AUDIT', 'store', { storesAudit: true }],
    ['AUDIT', 'log', {}],
    ['AUDIT_PATHS', 'plain', { showsAuditPaths: true }],
    ['AUDIT_PATHS', 'hash', {}],
    ['LINK_TTL_S', '604800', { linkTtlS: 604_800, urlTtlS: 604_800 }],
    ['ALLOWED_ORIGINS', 'https://a.example', { allowedOrigins: ['https://a.example'] }],
    [
      'ALLOWED_ORIGINS',
      ' http://localhost:3000 , tauri://localhost ',
      { allowedOrigins: ['http://localhost:3000', 'tauri://localhost'] },
    ],
    ['APIS_ALLOW_LOOPBACK', 'true', { allowsLoopbackApis: true }],
    ['WEBHOOK_SECRET', AUTH_SECRET, { webhookSecret: AUTH_SECRET }],
    ['IO_ENABLED', 'false', { isIoEnabled: false }],
    ['SHARED_DIR', 'Team_1', { sharedDir: 'Team_1' }],
    ['ALLOWED_PATHS', ' output, share/in ', { allowedPaths: ['output', 'share/in'] }],
    ['FUEL', 7, limits({ fuel: 7 })],
    ['API_BYTES', '5000000', limits({ apiBytes: 5_000_000, apiCallBytes: 5_000_000 })],
    ['IO_MAX_BYTES', '68719476736', limits({ writeBytes: 64 * 1024 ** 3 })],
  ])('%s=%s', (name, value, changes) => {
    expect(parseConfig({ ...REQUIRED, [name]: value })).toMatchObject({ ...DEFAULTS, ...changes })
  })

  it.each(LIMITED)('%s changes its own limit alone', (name, limit, { min = 1, max }) => {
    for (const value of [min, max]) {
      const roomy = limit === 'apiCallBytes' ? { API_BYTES: max } : {}
      const parsed = parseConfig({ ...REQUIRED, ...roomy, [name]: String(value) }).limits
      const others = { apiBytes: parsed.apiBytes, apiCallBytes: parsed.apiCallBytes }
      expect(parsed).toEqual({ ...DEFAULT_LIMITS, ...others, [limit]: value })
    }
  })

  it('AUTH_JWKS_URL, with issuer and audience, needs no AUTH_SECRET', () => {
    expect(parseConfig({ LINK_SECRET, ...JWKS }).auth).toMatchObject({
      secret: undefined,
      jwksUrl: JWKS.AUTH_JWKS_URL,
      issuer: JWKS.AUTH_ISSUER,
      audience: JWKS.AUTH_AUDIENCE,
    })
  })

  it('API_KEYS needs no AUTH_SECRET; hashes may be in upper case, user and scopes absent', () => {
    const owner = { tenant: 'acme', user: 'ann', scopes: ['execute'], paths: ['output/'] }
    const keys = { [HASH.toUpperCase()]: owner, ['cd'.repeat(32)]: { tenant: 'b' } }
    expect(parseConfig({ LINK_SECRET, API_KEYS: JSON.stringify(keys) }).auth.apiKeys).toEqual(
      new Map<string, unknown>([
        [HASH, owner],
        ['cd'.repeat(32), { tenant: 'b' }],
      ]),
    )
  })

  it('S3_* beside a bound bucket, for presigning', () => {
    expect(parseConfig(REQUIRED).presigning).toBeUndefined()
    expect(parseConfig({ ...REQUIRED, ...S3 }).s3).toBeUndefined()
    expect(parseConfig({ ...REQUIRED, ...S3 }).presigning).toEqual({
      endpoint: 'https://s3.example',
      region: 'auto',
      bucket: 'files',
      accessKeyId: 'id',
      secretAccessKey: 'key',
      sessionToken: undefined,
      forcePathStyle: false,
    })
    const more = { S3_REGION: 'eu-1', S3_SESSION_TOKEN: 'session', S3_FORCE_PATH_STYLE: 'true' }
    const endpoint = { S3_ENDPOINT: 'http://minio:9000/' }
    expect(parseConfig({ ...REQUIRED, ...S3, ...more, ...endpoint }).presigning).toMatchObject({
      endpoint: 'http://minio:9000',
      region: 'eu-1',
      sessionToken: 'session',
      forcePathStyle: true,
    })
  })

  it('WEBHOOK_HOSTS with WEBHOOK_SECRET', () => {
    const env = { WEBHOOK_HOSTS: ' a.example , *.b.example:8443', WEBHOOK_SECRET: AUTH_SECRET }
    expect(parseConfig({ ...REQUIRED, ...env })).toMatchObject({
      webhookHosts: ['a.example', '*.b.example:8443'],
      webhookSecret: AUTH_SECRET,
    })
  })

  it('SIGN_IN with its secrets and client', () => {
    const env = {
      SIGN_IN: 'keys, issuer',
      SIGN_IN_SECRET: `${AUTH_SECRET},${LINK_SECRET}`,
      SIGN_IN_CLIENT_ID: 'id',
      SIGN_IN_CLIENT_SECRET: 'secret',
      AUTH_ISSUER: 'https://issuer.example',
    }
    expect(parseConfig({ ...REQUIRED, ...env }).signIn).toEqual({
      methods: ['keys', 'issuer'],
      secrets: [AUTH_SECRET, LINK_SECRET],
      clientId: 'id',
      clientSecret: 'secret',
    })
  })

  it('S3_* with STORAGE=s3, where only the bucket is required', () => {
    const storage = { ...REQUIRED, STORAGE: 's3' }
    const unset = { endpoint: undefined, region: undefined, sessionToken: undefined }
    const { s3, presigning } = parseConfig({ ...storage, S3_BUCKET: 'files' })
    expect(s3).toEqual({
      ...unset,
      bucket: 'files',
      accessKeyId: undefined,
      secretAccessKey: undefined,
      forcePathStyle: false,
    })
    expect(presigning).toBeUndefined()
    expect(parseConfig({ ...storage, ...S3 }).s3).toMatchObject({
      region: 'auto',
      accessKeyId: 'id',
    })
  })
})

describe('a missing setting', () => {
  it.each([
    [{ AUTH_SECRET }, 'LINK_SECRET: is required'],
    [{ LINK_SECRET }, 'AUTH_SECRET: one of AUTH_SECRET, AUTH_JWKS_URL and API_KEYS is required'],
    [{ LINK_SECRET, ...JWKS, AUTH_ISSUER: '' }, 'AUTH_ISSUER: is required with AUTH_JWKS_URL'],
    [{ LINK_SECRET, ...JWKS, AUTH_AUDIENCE: '' }, 'AUTH_AUDIENCE: is required with AUTH_JWKS_URL'],
    [{ ...REQUIRED, SIGN_IN: 'keys' }, 'SIGN_IN_SECRET: is required with SIGN_IN'],
    [
      { ...REQUIRED, SIGN_IN: 'issuer', SIGN_IN_SECRET: AUTH_SECRET },
      'AUTH_ISSUER: is required with SIGN_IN=issuer\nSIGN_IN_CLIENT_ID: is required with SIGN_IN=issuer',
    ],
    [
      {
        ...REQUIRED,
        SIGN_IN: 'issuer',
        SIGN_IN_SECRET: AUTH_SECRET,
        SIGN_IN_CLIENT_ID: 'id',
        AUTH_ISSUER: 'http://issuer.example',
      },
      'AUTH_ISSUER: must be an https address with SIGN_IN=issuer',
    ],
    [{ ...REQUIRED, WEBHOOK_HOSTS: 'a.b' }, 'WEBHOOK_SECRET: is required with WEBHOOK_HOSTS'],
    ...Object.keys(S3).map((name): [Record<string, string>, string] => [
      { ...REQUIRED, ...S3, [name]: '' },
      `${name}: is required with the other S3 settings`,
    ]),
  ])('%j', (env, problem) => {
    expect(problemOf(env)).toBe(problem)
  })
})

describe('a setting that is wrong stops the start with one line that does not hold it', () => {
  const apiKeys = (owner: unknown) => JSON.stringify({ [HASH]: owner })
  const folders = 'paths must be a list of folders, such as ["output"]'
  const count = 'must be a whole number above 0'
  const days = 'must be an object that maps folders to whole numbers of days, at most 36500'

  it.each([
    ['S3_ENDPOINT', 's3.example', 'must be an http or https address'],
    ['S3_FORCE_PATH_STYLE', 'yes', 'must be true or false'],
    ['KEY_PREFIX', '/team', 'must be a plain path, such as team/files'],
    ['KEY_PREFIX', 'a/../b', 'must be a plain path, such as team/files'],
    ['KEY_PREFIX', 'a//b', 'must be a plain path, such as team/files'],
    ['KEY_PREFIX', 'a\\b', 'must be a plain path, such as team/files'],
    ['AUTH_SECRET', 'fifteen letters', 'needs at least 16 characters'],
    ['AUTH_JWKS_URL', 'ftp://issuer', 'must be an http or https address'],
    ['AUTH_DEFAULT_SCOPES', 'execute admin', 'must be one of execute, files:read, files:write'],
    ['SIGN_IN', 'hunter2', 'must be keys, issuer or both, with a comma'],
    ['SIGN_IN_SECRET', `${AUTH_SECRET},`, 'needs at least 16 characters'],
    ['API_KEYS', '{hunter2', 'must be JSON'],
    [
      'API_KEYS',
      '["hunter2"]',
      'must be an object that maps SHA-256 hashes in hex to {tenant, user, scopes, paths}',
    ],
    [
      'API_KEYS',
      '{"hunter2":{"tenant":"a"}}',
      'must be an object that maps SHA-256 hashes in hex to {tenant, user, scopes, paths}',
    ],
    ['API_KEYS', apiKeys('hunter2'), 'each must be {tenant, user, scopes, paths}'],
    [
      'API_KEYS',
      apiKeys({ tenant: 'a', 'hunter2\n': 1 }),
      'each must be {tenant, user, scopes, paths}',
    ],
    ['API_KEYS', apiKeys({ tenant: 5 }), 'tenant must be a string'],
    ['API_KEYS', apiKeys({ tenant: '' }), 'tenant must not be empty'],
    ['API_KEYS', apiKeys({ user: 'ann' }), 'tenant must be a string'],
    ['API_KEYS', apiKeys({ tenant: 'a', user: '' }), 'user must not be empty'],
    [
      'API_KEYS',
      apiKeys({ tenant: 'a', scopes: ['root'] }),
      'must be one of execute, files:read, files:write, admin',
    ],
    ['API_KEYS', apiKeys({ tenant: 'a', paths: 'hunter2' }), folders],
    ['API_KEYS', apiKeys({ tenant: 'a', paths: [] }), folders],
    ['API_KEYS', apiKeys({ tenant: 'a', paths: ['output', './'] }), folders],
    ['API_KEYS', apiKeys({ tenant: 'a', paths: [5] }), folders],
    ['LINK_SECRET', 'fifteen letters', 'needs at least 16 characters'],
    ['LINK_SECRET', `${LINK_SECRET},short`, 'needs at least 16 characters'],
    ['LINK_SECRET', `${LINK_SECRET},`, 'needs at least 16 characters'],
    ['PUBLIC_URL', 'files.example', 'must be an http or https address'],
    ['PUBLIC_URL', 'javascript:alert(1)', 'must be an http or https address'],
    ['PUBLIC_URL', 'https://files.example/?a=b', 'must end with its path'],
    ['PUBLIC_URL', 'https://files.example/#a', 'must end with its path'],
    ['TRUST_PROXY', '1', 'must be true or false'],
    ['LINK_TTL_S', '59', 'must be from 60 to 604800 seconds'],
    ['KEEP_DAYS', 'tmp/', 'must be JSON'],
    ['KEEP_DAYS', '[]', days],
    ['KEEP_DAYS', 'null', days],
    ['KEEP_DAYS', '7', days],
    ['KEEP_DAYS', '{"tmp": 0}', days],
    ['KEEP_DAYS', '{"tmp": 1.5}', days],
    ['KEEP_DAYS', '{"tmp": "1"}', days],
    ['KEEP_DAYS', '{"tmp": 36501}', days],
    ['METRICS_KEY', 'short', 'needs at least 16 characters'],
    ['AUDIT', 'true', 'must be log or store'],
    ['AUDIT_PATHS', 'true', 'must be hash or plain'],
    ['URL_TTL_S', '604801', 'must be from 60 to 604800 seconds'],
    ['LINK_TTL_S', '604801', 'must be from 60 to 604800 seconds'],
    ['LINK_TTL_S', '1h', count],
    ['ALLOWED_ORIGINS', '*', 'must be origins, such as https://app.example'],
    ['ALLOWED_ORIGINS', 'app.example', 'must be origins, such as https://app.example'],
    [
      'ALLOWED_ORIGINS',
      'https://a.example,https://b.example/',
      'must be origins, such as https://app.example',
    ],
    ['WEBHOOK_SECRET', 'fifteen letters', 'needs at least 16 characters'],
    ['WEBHOOK_HOSTS', 'https://a.b', 'each must be a host without a scheme or path'],
    ['WEBHOOK_HOSTS', 'a.b,*.c', 'each must have two labels after the last *'],
    ['WEBHOOK_HOSTS', '10.0.0.1', 'each must be a name, not an address'],
    ['IO_ENABLED', 'no', 'must be true or false'],
    ['IO_MAX_BYTES', '0', count],
    ['SHARED_DIR', 'a/b', 'must be one plain folder name'],
    ['SHARED_DIR', '..', 'must be one plain folder name'],
    ['TIMEOUT_MS', '1.5', count],
    ['TIMEOUT_MS', '2147483647', 'must be at most 2147473647'],
    ['FUEL', '1e9', count],
    ['FUEL', '-1', count],
    ['FUEL', '1000000000000000', count],
    ['IO_MAX_BYTES', '68719476737', 'must be at most 68719476736'],
    ['API_CALL_BYTES', '67108865', 'must be at most 67108864'],
    ['VM_MEMORY_BYTES', '786431', 'must be at least 786432'],
    ['VM_MEMORY_BYTES', '67108865', 'must be at most 67108864'],
    ['VM_MEMORY_BYTES', '64MB', count],
    ['RESIDENT_MAX_BYTES', ' 5', count],
    ['RESIDENT_MAX_BYTES', '16777215', 'must be at least 16777216'],
  ])('%s=%s', (name, value, problem) => {
    expect(problemOf({ ...REQUIRED, ...JWKS, ...S3, [name]: value })).toBe(`${name}: ${problem}`)
  })
  it.each(LIMITED)('%s, beyond what it may be', (name, _, { min = 1, max }) => {
    for (const value of [min - 1, max + 1]) {
      expect(problemOf({ ...REQUIRED, [name]: String(value) })).toMatch(
        new RegExp(`^${name}: must be (?:a whole number above 0|at (?:least|most) \\d+)$`),
      )
    }
  })

  it('API_CALL_BYTES, more than all responses together', () => {
    const env = { ...REQUIRED, API_CALL_BYTES: '2000', API_BYTES: '1000' }
    expect(problemOf(env)).toBe('API_CALL_BYTES: must be at most API_BYTES, which is 1000')
    const limits = WORKERS_LIMITS
    const problem = 'API_CALL_BYTES: must be at most API_BYTES, which is 16777216'
    const tooMuch = () => parseConfig({ ...REQUIRED, API_CALL_BYTES: '20000000' }, { limits })
    expect(tooMuch).toThrow(problem)
  })
})

describe('the limits', () => {
  it('on Workers are no higher than elsewhere', () => {
    for (const [name] of LIMIT_ROWS) {
      expect(WORKERS_LIMITS[name]).toBeLessThanOrEqual(DEFAULT_LIMITS[name])
    }
  })

  it('are defaults that the settings would accept', () => {
    for (const [, { setting, byDefault, onWorkers = byDefault }] of LIMIT_ROWS) {
      const { min = 1, max } = setting ?? { max: byDefault }
      const values = [byDefault, onWorkers].filter((value) => value !== Infinity)
      expect(values.filter((value) => value < min || value > max)).toEqual([])
    }
  })

  it('let a VM have what its module can address, and at least what it begins with', () => {
    const { setting } = LIMIT_ROWS.find(([name]) => name === 'memoryBytes')![1]
    expect(setting).toMatchObject({
      min: MEMORY_INITIAL_PAGES * PAGE_BYTES,
      max: MEMORY_MAX_PAGES * PAGE_BYTES,
    })
  })
})
