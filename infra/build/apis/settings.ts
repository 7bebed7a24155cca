/** The schema of `moonbucket.toml`, and how it is read; unknown keys are errors. */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { parse, TomlError } from 'smol-toml'
import { SETTINGS } from '../../../src/config.ts'
import { hostProblem } from '../../../src/lib/host-name.ts'
import { isHeaderName } from '../../../src/sdk/call/build-request.ts'
import { didYouMean } from '../../../src/sdk/catalog/names.ts'
import { isPlace, PLACES, type FrozenRule } from './params/params.ts'
import { BuildFailed, type Problems } from './problems.ts'

/** Reserved in `sdk.`. */
const RESERVED = ['search', 'help', 'parallel', 'pages', 'dump', 'download']

const text = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be a string') })
  .min(1, 'must not be empty')
const flag = z.boolean('must be true or false')
const patterns = z.array(text, 'must be a list of names, such as ["pets*"]')
/** Settings files end up in version control. */
const secret = text
  .regex(
    /^[A-Za-z_]\w*$/,
    'must be the name of a setting, such as PETSTORE_TOKEN, never the secret itself',
  )
  .refine((word) => !SETTINGS.includes(word), 'is a secret of this service, which no API may get')

const headerName = text.refine(isHeaderName, 'must be a header name')

const auth = z.discriminatedUnion(
  'type',
  [
    table({ type: z.literal('bearer'), secret: secret.optional() }),
    table({ type: z.literal('basic'), username: text, secret: secret.optional() }),
    table({
      type: z.literal('api_key'),
      secret: secret.optional(),
      in: z.enum(['header', 'query', 'cookie'], 'must be header, query or cookie').optional(),
      name: text.optional(),
    }),
    table({
      type: z.literal('header'),
      name: headerName,
      prefix: z.string('must be a string').optional(),
      secret: secret.optional(),
    }),
    table({
      type: z.literal('oauth2'),
      token_url: text.optional(),
      client_id: text,
      secret: secret.optional(),
      scopes: z.array(text, 'must be a list of strings').optional(),
    }),
  ],
  'needs a type: bearer, basic, api_key, header or oauth2',
)

const downloadHost = text.superRefine((written, context) => {
  const problem = hostProblem(written)
  if (problem)
    context.addIssue({ code: 'custom', message: `${JSON.stringify(written)} ${problem}` })
})

const frozenParams = z.record(z.string(), z.unknown(), 'must be a table').default({})

const shared = {
  auth: auth.optional(),
  caller_auth: flag.default(false),
  include: patterns.optional(),
  exclude: patterns.optional(),
  write: flag.default(false),
}

const api = table({
  spec: text,
  base_url: text.optional(),
  download_hosts: z
    .array(downloadHost, 'must be a list of hosts, such as ["*.files.example.com"]')
    .optional(),
  frozen_params: frozenParams,
  ...shared,
})

const server = table({ url: text, ...shared })

const apiName = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/, 'API names have a-z, 0-9 and _, such as my_api')
  .refine((word) => !RESERVED.includes(word), `none of ${RESERVED.join(', ')} can be an API's name`)

/** `io` is checked where scripts run locally. */
const settingsSchema = table({
  apis: z.record(apiName, api, 'must be a table').default({}),
  mcp_servers: z.record(apiName, server, 'must be a table').default({}),
  frozen_params: frozenParams,
  io: z.unknown().optional(),
})

type Settings = z.output<typeof settingsSchema>
export type ApiSettings = z.output<typeof api>
export type ServerSettings = z.output<typeof server>
export type AuthSettings = z.output<typeof auth>

function table<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return 'must be a table'
      const keys = (issue as { keys: string[] }).keys
      return keys
        .map((key) => `unknown key "${key}"${didYouMean(key, Object.keys(shape))}`)
        .join('; ')
    },
  })
}

/** @throws {BuildFailed} */
export function readSettings(path: string, file: string): Settings {
  const { data, error } = settingsSchema.safeParse(parsed(readFileSync(path, 'utf8'), file))
  if (data) {
    const [both] = Object.keys(data.apis).filter((name) => Object.hasOwn(data.mcp_servers, name))
    if (both === undefined) return data
    throw new BuildFailed([`${file}: "${both}" is both an API and a server`])
  }
  throw new BuildFailed(
    error.issues.map((issue) => {
      // Key errors are nested one level deeper.
      const reasons = issue.code === 'invalid_key' ? issue.issues : [issue]
      const problems = reasons.map(({ message }) => message).join('; ')
      return [file, issue.path.join('.'), problems].filter((part) => part !== '').join(': ')
    }),
  )
}

/** Keys such as `"query.account_id"`; unquoted, TOML nests them, which works too. */
export function frozenRules(params: unknown, at: string, settings: Problems): FrozenRule[] {
  return leaves(params).flatMap(([name, value]): FrozenRule[] => {
    const [, place = '', own = ''] = /^([^.]*)\.(.+)$/s.exec(name) ?? []
    const ruleAt = `${at}."${name}"`
    const refuse = (problem: string): FrozenRule[] => {
      settings.error(ruleAt, problem)
      return []
    }
    if (!isPlace(place)) {
      return refuse(`must start with one of ${PLACES.map((word) => `"${word}."`).join(', ')}`)
    }
    if (!['string', 'number', 'boolean', 'bigint'].includes(typeof value)) {
      return refuse('must be a string, a number, true or false')
    }
    const written = String(value)
    if (place === 'path' && /^\.{0,2}$/.test(written))
      return refuse('must not be empty, "." or ".."')
    if (!/^[\t\x20-\x7e]*$/.test(written) && place !== 'query' && place !== 'path') {
      return refuse('has characters not allowed in a header')
    }
    if (place === 'cookie' && /[;,\s]/.test(written))
      return refuse('has characters not allowed in a cookie')
    return [{ place, name: own, value: written, at: ruleAt }]
  })
}

function parsed(toml: string, file: string): unknown {
  try {
    return parse(toml.replace(/^\uFEFF/, ''), { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [problem] = error.message.split('\n')
    throw new BuildFailed([`${file}: line ${error.line}, column ${error.column}: ${problem}`])
  }
}

function leaves(params: unknown, prefix = ''): [name: string, value: unknown][] {
  return Object.entries(params ?? {}).flatMap(([key, value]): [string, unknown][] => {
    const isTable =
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      !(value instanceof Date)
    return isTable ? leaves(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value]]
  })
}
