/** Settings from environment variables, checked once at start. */
import { SCOPES, type Scope } from './caller.ts'
import { DEFAULT_LIMITS, limitsOf, type LimitSetting, type RunLimits } from './limits.ts'
import { Problems } from './invalid-config.ts'
import { isLoopback } from './lib/host-name.ts'
import { quotasFrom, type Quotas, type QuotaSetting } from './quotas.ts'
import {
  READERS,
  WrongText,
  type ApiKeyOwner,
  type Encoding,
  type Reader,
  type SignInMethod,
  type ParsedSettings,
} from './settings.ts'

export { InvalidConfig, together } from './invalid-config.ts'

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

/** The authorization server for MCP hosts. */
export interface SignInConfig {
  /** At least one. */
  readonly methods: readonly SignInMethod[]
  /** The first encrypts; any may have. */
  readonly secrets: readonly string[]
  /** Set with the method `issuer`, of `AUTH_ISSUER`. */
  readonly clientId?: string | undefined
  /** Absent for a public client. */
  readonly clientSecret?: string | undefined
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
  /** Absent if hosts cannot sign in here. */
  readonly signIn?: SignInConfig | undefined
  /** Set if the store is S3. */
  readonly s3?: S3Config | undefined
  /** Set if the store is a folder of this machine. */
  readonly folder?: string | undefined
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
  /** The longest that presigned URLs live. */
  readonly urlTtlS: number
  /** Without a trailing slash; absent means the request's origin. */
  readonly publicUrl?: string | undefined
  readonly trustsProxy: boolean
  readonly allowedOrigins: readonly string[]
  /** Allows APIs and webhooks on this machine, for tests and local work. */
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
  /** How long the records of runs are kept. */
  readonly runDays: number
  /** What may be notified of the end of a run: `hooks.example.com`, `*.example.com:8443`. */
  readonly webhookHosts: readonly string[]
  /** Each tenant's key derives from it; set if there are hosts. */
  readonly webhookSecret?: string | undefined
  /** How long files are kept, by folder; those below no folder are kept for ever. */
  readonly keepDays: Readonly<Record<string, number>>
  /** Whether audit events are also stored. */
  readonly storesAudit: boolean
  /** Whether audit events contain paths; else their hashes. */
  readonly showsAuditPaths: boolean
  /** Opens `/metrics` on Node. */
  readonly metricsKey?: string | undefined
  readonly limits: RunLimits
  /** Of every tenant; tokens may have lower ones. */
  readonly quotas: Quotas
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
 * @throws {InvalidConfig} with everything that is wrong or missing.
 */
export function parseConfig(
  env: Readonly<Record<string, unknown>>,
  { limits = DEFAULT_LIMITS, storage = 'r2' }: ConfigDefaults = {},
): Config {
  const problems = new Problems()
  const settings = readSettings(env, problems)
  const kind = settings.STORAGE ?? storage
  problems.require(settings, 'LINK_SECRET', 'is required')
  checkAuth(settings, problems)
  checkSignIn(settings, problems)
  checkLimits(settings, limits, problems)
  if (settings.WEBHOOK_HOSTS?.length) {
    problems.require(settings, 'WEBHOOK_SECRET', 'is required with WEBHOOK_HOSTS')
  }
  if (kind === 's3') checkS3(settings, problems)
  if (kind === 'r2') checkPresigning(settings, problems)
  if (kind === 'folder') problems.require(settings, 'FOLDER', 'is required with STORAGE=folder')
  problems.throwIfAny()
  const keyPrefix = settings.KEY_PREFIX ?? ''
  const linkTtlS = settings.LINK_TTL_S ?? 86_400
  return {
    auth: authOf(settings),
    signIn: signInOf(settings),
    ...storeOf(kind, settings),
    keyPrefix: keyPrefix && keyPrefix.replace(/\/*$/, '/'),
    sharedDir: settings.SHARED_DIR ?? 'share',
    allowedPaths: settings.ALLOWED_PATHS,
    linkSecrets: settings.LINK_SECRET!,
    linkTtlS,
    urlTtlS: settings.URL_TTL_S ?? linkTtlS,
    publicUrl: settings.PUBLIC_URL?.replace(/\/+$/, ''),
    trustsProxy: settings.TRUST_PROXY ?? false,
    allowedOrigins: settings.ALLOWED_ORIGINS ?? [],
    allowsLoopbackApis: settings.APIS_ALLOW_LOOPBACK ?? false,
    isIoEnabled: settings.IO_ENABLED ?? true,
    defaultEncoding: settings.DEFAULT_ENCODING ?? 'utf-8',
    maxFileBytes: settings.MAX_FILE_SIZE ?? 10_485_760,
    maxDepth: settings.MAX_DEPTH ?? 32,
    reportMaxBytes: settings.REPORT_MAX_BYTES ?? 512_000,
    runDays: settings.RUN_DAYS ?? 7,
    webhookHosts: settings.WEBHOOK_HOSTS ?? [],
    webhookSecret: settings.WEBHOOK_SECRET,
    keepDays: settings.KEEP_DAYS ?? {},
    storesAudit: settings.AUDIT === 'store',
    showsAuditPaths: settings.AUDIT_PATHS === 'plain',
    metricsKey: settings.METRICS_KEY,
    limits: limitsFrom(settings, limits),
    quotas: quotasFrom(({ setting }) => settings[setting as QuotaSetting]),
  }
}

function limitsFrom(settings: ParsedSettings, defaults: RunLimits): RunLimits {
  const limits = limitsOf(
    ({ setting }, name) => (setting && settings[setting.name as LimitSetting]) ?? defaults[name],
  )
  // A lower total lowers the default of one response, too.
  return { ...limits, apiCallBytes: Math.min(limits.apiCallBytes, limits.apiBytes) }
}

function checkLimits(settings: ParsedSettings, defaults: RunLimits, problems: Problems): void {
  const { API_CALL_BYTES = 0, API_BYTES = defaults.apiBytes } = settings
  if (API_CALL_BYTES > API_BYTES) {
    problems.add('API_CALL_BYTES', `must be at most API_BYTES, which is ${API_BYTES}`)
  }
}

function storeOf(
  kind: NonNullable<ParsedSettings['STORAGE']>,
  settings: ParsedSettings,
): Pick<Config, 's3' | 'folder' | 'presigning'> {
  if (kind === 's3') return { s3: s3Of(settings) }
  if (kind === 'folder') return { folder: settings.FOLDER }
  return { presigning: settings.S3_BUCKET ? (s3Of(settings) as S3Signing) : undefined }
}

function readSettings(env: Readonly<Record<string, unknown>>, problems: Problems): ParsedSettings {
  const read = Object.entries(READERS)
    .filter(([name]) => env[name] != null && env[name] !== '')
    .map(([name, reader]) => [name, readSetting(name, env[name], reader, problems)])
  return Object.fromEntries(read) as ParsedSettings
}

function readSetting(
  name: string,
  value: unknown,
  reader: Reader<unknown>,
  problems: Problems,
): unknown {
  if (value instanceof Object) return problems.add(name, 'must be text')
  try {
    return reader(String(value))
  } catch (error) {
    if (!(error instanceof WrongText)) throw error
    return problems.add(name, error.message)
  }
}

function checkAuth(settings: ParsedSettings, problems: Problems): void {
  const { AUTH_JWKS_URL, API_KEYS } = settings
  const hasApiKeys = Object.keys(API_KEYS ?? {}).length > 0
  if (!AUTH_JWKS_URL && !hasApiKeys) {
    const problem = 'one of AUTH_SECRET, AUTH_JWKS_URL and API_KEYS is required'
    problems.require(settings, 'AUTH_SECRET', problem)
  }
  if (!AUTH_JWKS_URL) return
  // A key server signs for many services: without these any of its tokens would be valid here.
  problems.require(settings, 'AUTH_ISSUER', 'is required with AUTH_JWKS_URL')
  problems.require(settings, 'AUTH_AUDIENCE', 'is required with AUTH_JWKS_URL')
}

function checkSignIn(settings: ParsedSettings, problems: Problems): void {
  const { SIGN_IN = [], AUTH_ISSUER } = settings
  if (SIGN_IN.length === 0) return
  problems.require(settings, 'SIGN_IN_SECRET', 'is required with SIGN_IN')
  if (!SIGN_IN.includes('issuer')) return
  problems.require(settings, 'AUTH_ISSUER', 'is required with SIGN_IN=issuer')
  problems.require(settings, 'SIGN_IN_CLIENT_ID', 'is required with SIGN_IN=issuer')
  const url = URL.parse(AUTH_ISSUER ?? 'https://absent')
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))
  if (!isSafe) problems.add('AUTH_ISSUER', 'must be an https address with SIGN_IN=issuer')
}

function signInOf(settings: ParsedSettings): SignInConfig | undefined {
  const { SIGN_IN = [], SIGN_IN_SECRET } = settings
  if (SIGN_IN.length === 0) return undefined
  return {
    methods: SIGN_IN,
    secrets: SIGN_IN_SECRET!,
    clientId: settings.SIGN_IN_CLIENT_ID,
    clientSecret: settings.SIGN_IN_CLIENT_SECRET,
  }
}

function checkS3(settings: ParsedSettings, problems: Problems): void {
  problems.require(settings, 'S3_BUCKET', 'is required with STORAGE=s3')
  if (!settings.S3_ACCESS_KEY_ID) return
  problems.require(settings, 'S3_SECRET_ACCESS_KEY', 'is required with S3_ACCESS_KEY_ID')
}

const FOR_PRESIGNING = [
  'S3_ENDPOINT',
  'S3_BUCKET',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
] as const

/** All of them or none. */
function checkPresigning(settings: ParsedSettings, problems: Problems): void {
  if (FOR_PRESIGNING.every((name) => settings[name] === undefined)) return
  for (const name of FOR_PRESIGNING) {
    problems.require(settings, name, 'is required with the other S3 settings')
  }
}

function authOf(settings: ParsedSettings): AuthConfig {
  return {
    secret: settings.AUTH_SECRET,
    jwksUrl: settings.AUTH_JWKS_URL,
    issuer: settings.AUTH_ISSUER,
    audience: settings.AUTH_AUDIENCE,
    tenantClaim: settings.AUTH_TENANT_CLAIM ?? 'tenant',
    defaultScopes: settings.AUTH_DEFAULT_SCOPES ?? SCOPES,
    apiKeys: new Map(
      Object.entries(settings.API_KEYS ?? {}).map(([hash, owner]) => [hash.toLowerCase(), owner]),
    ),
  }
}

function s3Of(settings: ParsedSettings): S3Config {
  const { S3_ENDPOINT } = settings
  return {
    bucket: settings.S3_BUCKET!,
    endpoint: S3_ENDPOINT?.replace(/\/+$/, ''),
    // Other stores have no regions, and AWS clients find theirs.
    region: settings.S3_REGION ?? (S3_ENDPOINT && 'auto'),
    accessKeyId: settings.S3_ACCESS_KEY_ID,
    secretAccessKey: settings.S3_SECRET_ACCESS_KEY,
    sessionToken: settings.S3_SESSION_TOKEN,
    forcePathStyle: settings.S3_FORCE_PATH_STYLE ?? false,
  }
}
