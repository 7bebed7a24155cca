/** Settings from environment variables, checked once at start. */
import { SCOPES, type Scope } from './caller.ts'
import { DEFAULT_LIMITS, type RunLimits } from './limits.ts'
import {
  READERS,
  WrongText,
  type ApiKeyOwner,
  type Encoding,
  type Reader,
  type ParsedSettings,
} from './settings.ts'

/** At least one method is configured. */
export interface AuthConfig {
  /** For HS256. */
  readonly secret?: string | undefined
  /** For asymmetric algorithms; issuer and audience are then set too. */
  readonly jwksUrl?: string | undefined
  readonly issuer?: string | undefined
  readonly audience?: string | undefined
  readonly tenantClaim: string
  readonly defaultScopes: readonly Scope[]
  /** Keyed by SHA-256 in lower-case hex. */
  readonly apiKeys: ReadonlyMap<string, ApiKeyOwner>
}

/** An S3 bucket. The client discovers what is absent. */
export interface S3Config {
  readonly bucket: string
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
  readonly accessKeyId?: string | undefined
  readonly secretAccessKey?: string | undefined
  readonly sessionToken?: string | undefined
  readonly forcePathStyle: boolean
}

/** Everything needed to sign locally. */
export type S3Signing = S3Config & {
  readonly [Name in 'endpoint' | 'region' | 'accessKeyId' | 'secretAccessKey']: string
}

export interface Config {
  readonly auth: AuthConfig
  /** Set if the store is S3. */
  readonly s3?: S3Config | undefined
  /** S3 credentials of a bound R2 bucket, for presigned URLs. */
  readonly presigning?: S3Signing | undefined
  /** Empty, or ending in `/`. */
  readonly keyPrefix: string
  /** `undefined` only if all files belong to one person: no isolation. */
  readonly sharedDir: string | undefined
  /** Allowed path prefixes; absent allows all. */
  readonly allowedPaths?: readonly string[] | undefined
  /** The first signs; all verify. */
  readonly linkSecrets: readonly string[]
  readonly linkTtlS: number
  /** Without a trailing slash; absent means the request's origin. */
  readonly publicUrl?: string | undefined
  readonly trustsProxy: boolean
  readonly allowedOrigins: readonly string[]
  /** Allows APIs on this machine, for tests and local work. */
  readonly allowsLoopbackApis: boolean
  readonly isIoEnabled: boolean
  /** Default of file operations. */
  readonly defaultEncoding: Encoding
  /** Of file operations; runs have their own limits. */
  readonly maxFileBytes: number
  /** Maximum path depth for writing and listing. */
  readonly maxDepth: number
  /** Per report. */
  readonly reportMaxBytes: number
  readonly limits: RunLimits
}

/** The message is one line with the setting's name, never its value. */
export class InvalidConfig extends Error {
  constructor(setting: string, problem: string) {
    super(`${setting}: ${problem}`)
    this.name = 'InvalidConfig'
  }
}

export const SETTINGS = Object.keys(READERS)

/** Runtime defaults. */
export interface ConfigDefaults {
  readonly limits?: RunLimits
  readonly storage?: 'r2' | 's3'
}

/**
 * Empty variables count as absent; bindings that are not strings are ignored.
 *
 * @throws {InvalidConfig} for the first wrong setting.
 */
export function parseConfig(
  env: Readonly<Record<string, unknown>>,
  { limits = DEFAULT_LIMITS, storage = 'r2' }: ConfigDefaults = {},
): Config {
  const settings = readSettings(env)
  if (!settings.LINK_SECRET) throw new InvalidConfig('LINK_SECRET', 'is required')
  const keyPrefix = settings.KEY_PREFIX ?? ''
  return {
    auth: authOf(settings),
    ...((settings.STORAGE ?? storage) === 's3'
      ? { s3: s3Of(settings) }
      : { presigning: presigningOf(settings) }),
    keyPrefix: keyPrefix && keyPrefix.replace(/\/*$/, '/'),
    sharedDir: settings.SHARED_DIR ?? 'share',
    allowedPaths: settings.ALLOWED_PATHS,
    linkSecrets: settings.LINK_SECRET,
    linkTtlS: settings.LINK_TTL_S ?? 86_400,
    publicUrl: settings.PUBLIC_URL?.replace(/\/+$/, ''),
    trustsProxy: settings.TRUST_PROXY ?? false,
    allowedOrigins: settings.ALLOWED_ORIGINS ?? [],
    allowsLoopbackApis: settings.APIS_ALLOW_LOOPBACK ?? false,
    isIoEnabled: settings.IO_ENABLED ?? true,
    defaultEncoding: settings.DEFAULT_ENCODING ?? 'utf-8',
    maxFileBytes: settings.MAX_FILE_SIZE ?? 10_485_760,
    maxDepth: settings.MAX_DEPTH ?? 32,
    reportMaxBytes: settings.REPORT_MAX_BYTES ?? 512_000,
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

function readSettings(env: Readonly<Record<string, unknown>>): ParsedSettings {
  const read = Object.entries(READERS)
    .filter(([name]) => env[name] != null && env[name] !== '')
    .map(([name, reader]) => [name, readSetting(name, env[name], reader)])
  return Object.fromEntries(read) as ParsedSettings
}

function readSetting(name: string, value: unknown, reader: Reader<unknown>): unknown {
  if (value instanceof Object) throw new InvalidConfig(name, 'must be text')
  try {
    return reader(String(value))
  } catch (error) {
    if (error instanceof WrongText) throw new InvalidConfig(name, error.message)
    throw error
  }
}

function authOf(settings: ParsedSettings): AuthConfig {
  const { AUTH_SECRET, AUTH_JWKS_URL, API_KEYS, AUTH_ISSUER, AUTH_AUDIENCE } = settings
  const hasApiKeys = Object.keys(API_KEYS ?? {}).length > 0
  if (!AUTH_SECRET && !AUTH_JWKS_URL && !hasApiKeys) {
    throw new InvalidConfig(
      'AUTH_SECRET',
      'one of AUTH_SECRET, AUTH_JWKS_URL and API_KEYS is required',
    )
  }
  // A key server signs for many services: without these any of its tokens would be valid here.
  if (AUTH_JWKS_URL && !AUTH_ISSUER)
    throw new InvalidConfig('AUTH_ISSUER', 'is required with AUTH_JWKS_URL')
  if (AUTH_JWKS_URL && !AUTH_AUDIENCE)
    throw new InvalidConfig('AUTH_AUDIENCE', 'is required with AUTH_JWKS_URL')
  return {
    secret: AUTH_SECRET,
    jwksUrl: AUTH_JWKS_URL,
    issuer: AUTH_ISSUER,
    audience: AUTH_AUDIENCE,
    tenantClaim: settings.AUTH_TENANT_CLAIM ?? 'tenant',
    defaultScopes: settings.AUTH_DEFAULT_SCOPES ?? SCOPES,
    apiKeys: new Map(
      Object.entries(API_KEYS ?? {}).map(([hash, owner]) => [hash.toLowerCase(), owner]),
    ),
  }
}

function s3Of(settings: ParsedSettings): S3Config {
  const { S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_ENDPOINT } = settings
  if (!S3_BUCKET) throw new InvalidConfig('S3_BUCKET', 'is required with STORAGE=s3')
  if (S3_ACCESS_KEY_ID && !S3_SECRET_ACCESS_KEY) {
    throw new InvalidConfig('S3_SECRET_ACCESS_KEY', 'is required with S3_ACCESS_KEY_ID')
  }
  return {
    bucket: S3_BUCKET,
    endpoint: S3_ENDPOINT?.replace(/\/+$/, ''),
    // Other stores have no regions, and AWS clients find theirs.
    region: settings.S3_REGION ?? (S3_ENDPOINT && 'auto'),
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    sessionToken: settings.S3_SESSION_TOKEN,
    forcePathStyle: settings.S3_FORCE_PATH_STYLE ?? false,
  }
}

function presigningOf(settings: ParsedSettings): S3Signing | undefined {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = settings
  const required = { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }
  if (Object.values(required).every((value) => value === undefined)) return undefined
  const missing = Object.entries(required).find(([, value]) => value === undefined)
  if (missing) throw new InvalidConfig(missing[0], 'is required with the other S3 settings')
  return s3Of(settings) as S3Signing
}
