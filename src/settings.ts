/**
 * The settings by name, and how each is parsed. Plain functions: a schema would take about as long
 * to build as the rest of a Worker's start.
 */
import * as z from 'zod'
import { ALL_SCOPES, namesFolder, SCOPES } from './caller.ts'
import { hostProblem } from './lib/host-name.ts'
import { LIMIT_ROWS, type LimitSetting } from './limits.ts'
import { QUOTA_ROWS, type Quotas, type QuotaSetting } from './quotas.ts'

/** Text encodings of bytes in file operations. */
export const ENCODINGS = ['utf-8', 'base64', 'hex', 'latin1', 'utf-16le'] as const

export type Encoding = (typeof ENCODINGS)[number]

/** What a person can sign in with: an API key, or an account of the issuer. */
const SIGN_IN_METHODS = ['keys', 'issuer'] as const

export type SignInMethod = (typeof SIGN_IN_METHODS)[number]

/** Shorter ones can be guessed. */
const MIN_SECRET_LENGTH = 16
export const MIN_LINK_TTL_S = 60
export const MAX_LINK_TTL_S = 7 * 24 * 3600

const MAX_RUN_DAYS = 365
const MAX_KEEP_DAYS = 36_500

/** @throws {WrongText} */
export type Reader<T> = (line: string) => T

/** The message has neither the setting's name nor its value. */
export class WrongText extends Error {}

const text: Reader<string> = (line) => line

function checked<T>(read: Reader<T>, isValid: (value: T) => boolean, problem: string): Reader<T> {
  return (line) => {
    const value = read(line)
    if (!isValid(value)) throw new WrongText(problem)
    return value
  }
}

const matching = (pattern: RegExp, problem: string) =>
  checked(text, (line) => pattern.test(line), problem)

const oneOf = <const Word extends string>(words: readonly Word[], problem: string) =>
  checked(text as Reader<Word>, (word) => words.includes(word), problem)

const flag: Reader<boolean> = (line) =>
  oneOf(['true', 'false'], 'must be true or false')(line) === 'true'

const count: Reader<number> = (line) =>
  Number(matching(/^[1-9]\d{0,14}$/, 'must be a whole number above 0')(line))

const countFrom = (least: number, most: number, problem: string) =>
  checked(count, (value) => value >= least && value <= most, problem)

const address = checked(
  (line) => line.trim(),
  (url) => /^https?:\/\/\S+$/i.test(url) && URL.canParse(url),
  'must be an http or https address',
)

/** Skips empty items. */
function listOf<T>(separator: RegExp, item: Reader<T>): Reader<T[]> {
  return (line) =>
    line
      .trim()
      .split(separator)
      .filter((part) => part !== '')
      .map(item)
}

const COMMA = /\s*,\s*/
const secret = checked(
  text,
  (line) => [...line].length >= MIN_SECRET_LENGTH,
  `needs at least ${MIN_SECRET_LENGTH} characters`,
)
const oneOfScopes = (scopes: readonly string[]) => `must be one of ${scopes.join(', ')}`
// Browsers send no trailing slash, so one would never match.
const origin = matching(
  /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s*A-Z]+$/,
  'must be origins, such as https://app.example',
)

const host: Reader<string> = (line) => {
  const problem = hostProblem(line)
  if (problem !== undefined) throw new WrongText(`each ${problem}`)
  return line
}

const lifetime = countFrom(
  MIN_LINK_TTL_S,
  MAX_LINK_TTL_S,
  `must be from ${MIN_LINK_TTL_S} to ${MAX_LINK_TTL_S} seconds`,
)

const limitReaders = LIMIT_ROWS.flatMap(([, { setting }]) => {
  if (!setting) return []
  const { name, min = 1, max } = setting
  const least = checked(count, (value) => value >= min, `must be at least ${min}`)
  return [[name, checked(least, (value) => value <= max, `must be at most ${max}`)] as const]
})

const quotaReaders = QUOTA_ROWS.map(([, { setting }]) => [setting, count] as const)

/** Parsers by setting; errors are reported in this order. */
export const READERS = {
  STORAGE: oneOf(['r2', 's3', 'folder'], 'must be r2, s3 or folder'),
  FOLDER: text,
  S3_ENDPOINT: address,
  S3_REGION: text,
  S3_BUCKET: text,
  S3_ACCESS_KEY_ID: text,
  S3_SECRET_ACCESS_KEY: text,
  S3_SESSION_TOKEN: text,
  S3_FORCE_PATH_STYLE: flag,
  KEY_PREFIX: matching(
    /^(?:(?!\.{1,2}(?:\/|$))[^/\\\p{Cc}]+(?:\/|$))*$/u,
    'must be a plain path, such as team/files',
  ),
  AUTH_SECRET: secret,
  AUTH_JWKS_URL: address,
  AUTH_ISSUER: text,
  AUTH_AUDIENCE: text,
  AUTH_TENANT_CLAIM: text,
  AUTH_DEFAULT_SCOPES: listOf(/[\s,]+/, oneOf(SCOPES, oneOfScopes(SCOPES))),
  API_KEYS: readApiKeys,
  SIGN_IN: listOf(COMMA, oneOf(SIGN_IN_METHODS, 'must be keys, issuer or both, with a comma')),
  // As LINK_SECRET.
  SIGN_IN_SECRET: (line: string) => line.split(COMMA).map(secret),
  SIGN_IN_CLIENT_ID: text,
  SIGN_IN_CLIENT_SECRET: text,
  // Unlike in other lists, an empty item is an error: a lost secret.
  LINK_SECRET: (line: string) => line.split(COMMA).map(secret),
  // Links append to it, so no query or fragment.
  PUBLIC_URL: checked(address, (url) => !/[?#]/.test(url), 'must end with its path'),
  TRUST_PROXY: flag,
  LINK_TTL_S: lifetime,
  URL_TTL_S: lifetime,
  ALLOWED_ORIGINS: listOf(COMMA, origin),
  APIS_ALLOW_LOOPBACK: flag,
  IO_ENABLED: flag,
  SHARED_DIR: matching(/^[A-Za-z0-9_-]{1,64}$/, 'must be one plain folder name'),
  DEFAULT_ENCODING: oneOf(ENCODINGS, `must be one of ${ENCODINGS.join(', ')}`),
  MAX_FILE_SIZE: count,
  MAX_DEPTH: count,
  REPORT_MAX_BYTES: count,
  RUN_DAYS: countFrom(1, MAX_RUN_DAYS, `must be from 1 to ${MAX_RUN_DAYS} days`),
  WEBHOOK_HOSTS: listOf(COMMA, host),
  WEBHOOK_SECRET: secret,
  ALLOWED_PATHS: listOf(COMMA, text),
  ...(Object.fromEntries(quotaReaders) as Readonly<Record<QuotaSetting, Reader<number>>>),
  KEEP_DAYS: readDays,
  AUDIT: oneOf(['log', 'store'], 'must be log or store'),
  METRICS_KEY: secret,
  AUDIT_PATHS: oneOf(['hash', 'plain'], 'must be hash or plain'),
  ...(Object.fromEntries(limitReaders) as Readonly<Record<LimitSetting, Reader<number>>>),
}

export type ParsedSettings = {
  readonly [Name in keyof typeof READERS]?: ReturnType<(typeof READERS)[Name]>
}

const A_FOLDER = 'paths must be a list of folders, such as ["output"]'

const apiKeyOwner = () =>
  z.strictObject(
    {
      tenant: z.string('tenant must be a string').min(1, 'tenant must not be empty'),
      user: z.string('user must be a string').min(1, 'user must not be empty').optional(),
      /** Absent means the default scopes. */
      scopes: z.array(z.enum(ALL_SCOPES, oneOfScopes(ALL_SCOPES))).optional(),
      /** Absent allows all. */
      paths: z
        .array(z.string(A_FOLDER).refine(namesFolder, A_FOLDER), A_FOLDER)
        .min(1, A_FOLDER)
        .optional(),
    },
    'each must be {tenant, user, scopes, paths}',
  )

export interface ApiKeyOwner extends Readonly<z.output<ReturnType<typeof apiKeyOwner>>> {
  /** Of the tenant; settings have them for all tenants alike. */
  readonly quotas?: Quotas | undefined
}

/** The only structured setting; its schema is built only if used. */
function readApiKeys(json: string): Readonly<Record<string, ApiKeyOwner>> {
  const owners = z.record(
    z.string().regex(/^[0-9a-f]{64}$/i),
    apiKeyOwner(),
    'must be an object that maps SHA-256 hashes in hex to {tenant, user, scopes, paths}',
  )
  const { data, error } = owners.safeParse(parseJson(json))
  if (error) throw new WrongText(error.issues[0]!.message)
  return data
}

/** Paths are checked later, by the rules of all paths. */
function readDays(json: string): Readonly<Record<string, number>> {
  const days = parseJson(json)
  const isDays = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_KEEP_DAYS
  const isRecord = typeof days === 'object' && days !== null && !Array.isArray(days)
  if (isRecord && Object.values(days).every(isDays)) return days as Record<string, number>
  throw new WrongText(
    `must be an object that maps folders to whole numbers of days, at most ${MAX_KEEP_DAYS}`,
  )
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new WrongText('must be JSON')
  }
}
