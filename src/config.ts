/** Settings from environment variables, checked once at the start. */
import * as z from 'zod'
import { SCOPES, type Scope } from './caller.ts'
import { DEFAULT_LIMITS, STORING_GRACE_MS, type RunLimits } from './limits.ts'

/** Whom an API key stands for. */
export interface ApiKeyOwner {
  readonly tenant: string
  readonly user?: string | undefined
  /** Absent means the default scopes. */
  readonly scopes?: readonly Scope[] | undefined
}

/** How tokens are checked; at least one way is configured. */
export interface AuthConfig {
  /** For HS256. */
  readonly secret?: string | undefined
  /** For asymmetric algorithms; then issuer and audience are set too. */
  readonly jwksUrl?: string | undefined
  readonly issuer?: string | undefined
  readonly audience?: string | undefined
  readonly tenantClaim: string
  readonly defaultScopes: readonly Scope[]
  /** By the key's SHA-256 in lower-case hex. */
  readonly apiKeys: ReadonlyMap<string, ApiKeyOwner>
}

/** A bucket of a store that speaks S3. What is absent, the client finds out by itself. */
export interface S3Config {
  readonly bucket: string
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
  readonly accessKeyId?: string | undefined
  readonly secretAccessKey?: string | undefined
  readonly sessionToken?: string | undefined
  readonly forcePathStyle: boolean
}

/** What it takes to sign for a bucket without asking anybody. */
export type S3Signing = S3Config & {
  readonly [Name in 'endpoint' | 'region' | 'accessKeyId' | 'secretAccessKey']: string
}

/** How file operations may write bytes as text. */
export const ENCODINGS = ['utf-8', 'base64', 'hex', 'latin1', 'utf-16le'] as const

export type Encoding = (typeof ENCODINGS)[number]

/** Every setting, in the form the service uses it. */
export interface Config {
  readonly auth: AuthConfig
  /** The store, where it is one that speaks S3. */
  readonly s3?: S3Config | undefined
  /** The S3 side of a bucket that is bound: presigned URLs need it. */
  readonly presigning?: S3Signing | undefined
  /** Empty, or ending in `/`. */
  readonly keyPrefix: string
  /** `undefined` only where all files are one person's: nothing keeps callers apart then. */
  readonly sharedDir: string | undefined
  /** The only path prefixes anybody may use; absent allows all. */
  readonly allowedPaths?: readonly string[] | undefined
  /** The first signs, all verify. */
  readonly linkSecrets: readonly string[]
  readonly linkTtlS: number
  /** Without a slash at its end; absent means the request's own origin. */
  readonly publicUrl?: string | undefined
  readonly trustsProxy: boolean
  readonly allowedOrigins: readonly string[]
  /** Whether APIs on this machine may be called, for tests and local work. */
  readonly allowsLoopbackApis: boolean
  readonly isIoEnabled: boolean
  /** For file operations that are not told one. */
  readonly defaultEncoding: Encoding
  /** The largest file that file operations read or write; runs have limits of their own. */
  readonly maxFileBytes: number
  /** Segments of the deepest path that file operations write, and how far down they list. */
  readonly maxDepth: number
  /** The content of one report. */
  readonly reportMaxBytes: number
  readonly limits: RunLimits
}

/** A setting that is missing or wrong; the message is one line that names it and never holds its value. */
export class InvalidConfig extends Error {
  constructor(setting: string, problem: string) {
    super(`${setting}: ${problem}`)
    this.name = 'InvalidConfig'
  }
}

/** Shorter ones can be found by trying. */
const MIN_SECRET_LENGTH = 16
export const MIN_LINK_TTL_S = 60
export const MAX_LINK_TTL_S = 7 * 24 * 3600
/** A timer set for more than 31 bits of milliseconds ends at once; storing adds its grace to a run's time. */
const MAX_TIMEOUT_MS = 2_147_483_647 - STORING_GRACE_MS

const text = z.string()
const secret = text.min(MIN_SECRET_LENGTH, `needs at least ${MIN_SECRET_LENGTH} characters`)
const url = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })
const flag = z.enum(['true', 'false'], 'must be true or false').transform((word) => word === 'true')
const count = text
  .regex(/^[1-9]\d{0,14}$/, 'must be a whole number above 0')
  .transform((digits) => Number(digits))
const listOf = (separator: RegExp) =>
  text.transform((line) =>
    line
      .trim()
      .split(separator)
      .filter((item) => item !== ''),
  )
const commaList = listOf(/\s*,\s*/)
// Compared with what browsers send letter by letter: a slash at the end would never match.
const origin = text.regex(
  /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s*A-Z]+$/,
  'must be origins, such as https://app.example',
)
const scopes = z.array(z.enum(SCOPES, `must be of ${SCOPES.join(', ')}`))

const apiKeys = text
  .transform((json, ctx) => {
    try {
      return JSON.parse(json) as unknown
    } catch {
      ctx.addIssue('must be JSON')
      return z.NEVER
    }
  })
  .pipe(
    z.record(
      text.regex(/^[0-9a-f]{64}$/i, 'keys must be SHA-256 in hex'),
      z.strictObject(
        {
          tenant: z.string('tenant must be a text').min(1, 'tenant must not be empty'),
          user: z.string('user must be a text').min(1, 'user must not be empty').optional(),
          scopes: scopes.optional(),
        },
        'each must be {tenant, user, scopes}',
      ),
      'must be an object of SHA-256 in hex to {tenant, user, scopes}',
    ),
  )

const environment = z.object({
  STORAGE: z.enum(['r2', 's3'], 'must be r2 or s3').optional(),
  S3_ENDPOINT: url.optional(),
  S3_REGION: text.optional(),
  S3_BUCKET: text.optional(),
  S3_ACCESS_KEY_ID: text.optional(),
  S3_SECRET_ACCESS_KEY: text.optional(),
  S3_SESSION_TOKEN: text.optional(),
  S3_FORCE_PATH_STYLE: flag.default(false),
  KEY_PREFIX: text
    .regex(
      /^(?:(?!\.{1,2}(?:\/|$))[^/\\\p{Cc}]+(?:\/|$))*$/u,
      'must be a plain path, such as team/files',
    )
    .default(''),
  AUTH_SECRET: secret.optional(),
  AUTH_JWKS_URL: url.optional(),
  AUTH_ISSUER: text.optional(),
  AUTH_AUDIENCE: text.optional(),
  AUTH_TENANT_CLAIM: text.default('tenant'),
  AUTH_DEFAULT_SCOPES: listOf(/[\s,]+/)
    .pipe(scopes)
    .default([...SCOPES]),
  API_KEYS: apiKeys.optional(),
  LINK_SECRET: z
    .string('is required')
    .transform((line) => line.split(/\s*,\s*/))
    .pipe(z.array(secret)),
  // Links go on from here: after a query or a fragment they would lead nowhere.
  PUBLIC_URL: url.regex(/^[^?#]*$/, 'must end with its path').optional(),
  TRUST_PROXY: flag.default(false),
  LINK_TTL_S: count
    .refine(
      (seconds) => seconds >= MIN_LINK_TTL_S && seconds <= MAX_LINK_TTL_S,
      `must be from ${MIN_LINK_TTL_S} to ${MAX_LINK_TTL_S} seconds`,
    )
    .default(86_400),
  ALLOWED_ORIGINS: commaList.pipe(z.array(origin)).default([]),
  APIS_ALLOW_LOOPBACK: flag.default(false),
  IO_ENABLED: flag.default(true),
  IO_MAX_BYTES: count.optional(),
  SHARED_DIR: text.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be one plain folder name').default('share'),
  DEFAULT_ENCODING: z.enum(ENCODINGS, `must be one of ${ENCODINGS.join(', ')}`).default('utf-8'),
  MAX_FILE_SIZE: count.default(10_485_760),
  MAX_DEPTH: count.default(32),
  REPORT_MAX_BYTES: count.default(512_000),
  ALLOWED_PATHS: commaList.optional(),
  TIMEOUT_MS: count
    .refine((ms) => ms <= MAX_TIMEOUT_MS, `must be at most ${MAX_TIMEOUT_MS}`)
    .optional(),
  FUEL: count.optional(),
  VM_MEMORY_BYTES: count.optional(),
  RESIDENT_MAX_BYTES: count.optional(),
})

/** The names of all settings. */
export const SETTINGS = Object.keys(environment.shape)

type Environment = z.output<typeof environment>

/** What holds in a runtime unless settings say otherwise. */
export interface ConfigDefaults {
  readonly limits?: RunLimits
  readonly storage?: 'r2' | 's3'
}

/**
 * Reads the settings of one installation. Empty variables count as absent, and bindings that are no text are left alone.
 *
 * @throws {InvalidConfig} for the first setting that is wrong.
 */
export function parseConfig(
  env: Readonly<Record<string, unknown>>,
  { limits = DEFAULT_LIMITS, storage = 'r2' }: ConfigDefaults = {},
): Config {
  const set = SETTINGS.map((name) => [name, env[name]] as const).filter(
    ([, value]) => value != null && value !== '',
  )
  for (const [name, value] of set) {
    if (value instanceof Object) throw new InvalidConfig(name, 'must be text')
  }
  const texts = set.map(([name, value]) => [name, String(value)])
  const parsed = environment.safeParse(Object.fromEntries(texts))
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!
    throw new InvalidConfig(String(path[0]), message)
  }
  const settings = parsed.data
  return {
    auth: authOf(settings),
    ...((settings.STORAGE ?? storage) === 's3'
      ? { s3: s3Of(settings) }
      : { presigning: presigningOf(settings) }),
    keyPrefix: settings.KEY_PREFIX.replace(/\/*$/, (slash) => (settings.KEY_PREFIX ? '/' : slash)),
    sharedDir: settings.SHARED_DIR,
    allowedPaths: settings.ALLOWED_PATHS,
    linkSecrets: settings.LINK_SECRET,
    linkTtlS: settings.LINK_TTL_S,
    publicUrl: settings.PUBLIC_URL?.replace(/\/+$/, ''),
    trustsProxy: settings.TRUST_PROXY,
    allowedOrigins: settings.ALLOWED_ORIGINS,
    allowsLoopbackApis: settings.APIS_ALLOW_LOOPBACK,
    isIoEnabled: settings.IO_ENABLED,
    defaultEncoding: settings.DEFAULT_ENCODING,
    maxFileBytes: settings.MAX_FILE_SIZE,
    maxDepth: settings.MAX_DEPTH,
    reportMaxBytes: settings.REPORT_MAX_BYTES,
    limits: {
      ...limits,
      ...(settings.IO_MAX_BYTES && { writeBytes: settings.IO_MAX_BYTES }),
      ...(settings.TIMEOUT_MS && { runMs: settings.TIMEOUT_MS }),
      ...(settings.FUEL && { fuel: settings.FUEL }),
      ...(settings.VM_MEMORY_BYTES && { memoryBytes: settings.VM_MEMORY_BYTES }),
      ...(settings.RESIDENT_MAX_BYTES && { residentBytes: settings.RESIDENT_MAX_BYTES }),
    },
  }
}

function authOf(settings: Environment): AuthConfig {
  const { AUTH_SECRET, AUTH_JWKS_URL, API_KEYS, AUTH_ISSUER, AUTH_AUDIENCE } = settings
  const hasApiKeys = Object.keys(API_KEYS ?? {}).length > 0
  if (!AUTH_SECRET && !AUTH_JWKS_URL && !hasApiKeys) {
    throw new InvalidConfig(
      'AUTH_SECRET',
      'one of AUTH_SECRET, AUTH_JWKS_URL and API_KEYS is required',
    )
  }
  // A key server signs for many services: without these, any of its tokens would open this one.
  if (AUTH_JWKS_URL && !AUTH_ISSUER)
    throw new InvalidConfig('AUTH_ISSUER', 'is required with AUTH_JWKS_URL')
  if (AUTH_JWKS_URL && !AUTH_AUDIENCE)
    throw new InvalidConfig('AUTH_AUDIENCE', 'is required with AUTH_JWKS_URL')
  return {
    secret: AUTH_SECRET,
    jwksUrl: AUTH_JWKS_URL,
    issuer: AUTH_ISSUER,
    audience: AUTH_AUDIENCE,
    tenantClaim: settings.AUTH_TENANT_CLAIM,
    defaultScopes: settings.AUTH_DEFAULT_SCOPES,
    apiKeys: new Map(
      Object.entries(API_KEYS ?? {}).map(([hash, owner]) => [hash.toLowerCase(), owner]),
    ),
  }
}

function s3Of(settings: Environment): S3Config {
  const { S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_ENDPOINT } = settings
  if (!S3_BUCKET) throw new InvalidConfig('S3_BUCKET', 'is required with STORAGE=s3')
  if (S3_ACCESS_KEY_ID && !S3_SECRET_ACCESS_KEY) {
    throw new InvalidConfig('S3_SECRET_ACCESS_KEY', 'is required with S3_ACCESS_KEY_ID')
  }
  return {
    bucket: S3_BUCKET,
    endpoint: S3_ENDPOINT?.replace(/\/+$/, ''),
    // Stores other than AWS have no regions, and AWS's own clients know theirs from where they run.
    region: settings.S3_REGION ?? (S3_ENDPOINT && 'auto'),
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    sessionToken: settings.S3_SESSION_TOKEN,
    forcePathStyle: settings.S3_FORCE_PATH_STYLE,
  }
}

function presigningOf(settings: Environment): S3Signing | undefined {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = settings
  const required = { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }
  if (Object.values(required).every((value) => value === undefined)) return undefined
  const missing = Object.entries(required).find(([, value]) => value === undefined)
  if (missing) throw new InvalidConfig(missing[0], 'is required with the other S3 settings')
  return s3Of(settings) as S3Signing
}
