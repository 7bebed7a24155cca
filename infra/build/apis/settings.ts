/** What `moonbucket.toml` may say about APIs and servers; a key that nobody knows is a mistake. */
import * as z from 'zod'
import { SETTINGS } from '../../../src/config.ts'
import { didYouMean } from '../../../src/sdk/catalog/nearest.ts'

/** Has a meaning of its own after `sdk.`. */
const RESERVED = ['search', 'help', 'parallel', 'pages']

const text = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'has to be a text') })
  .min(1, 'must not be empty')
const flag = z.boolean('has to be true or false')
const patterns = z.array(text, 'has to be a list of names, such as ["pets*"]')
/** Values in a settings file end up in version control. */
const secret = text
  .regex(
    /^[A-Za-z_]\w*$/,
    'has to be the name of a setting, such as PETSTORE_TOKEN, never the secret itself',
  )
  .refine((word) => !SETTINGS.includes(word), 'is a secret of this service, which no API may get')

const headerName = text.refine(isHeaderName, 'has to be the name of a header')

const auth = z.discriminatedUnion(
  'type',
  [
    table({ type: z.literal('bearer'), secret: secret.optional() }),
    table({ type: z.literal('basic'), username: text, secret: secret.optional() }),
    table({
      type: z.literal('api_key'),
      secret: secret.optional(),
      in: z.enum(['header', 'query', 'cookie'], 'has to be header, query or cookie').optional(),
      name: text.optional(),
    }),
    table({
      type: z.literal('header'),
      name: headerName,
      prefix: z.string('has to be a text').optional(),
      secret: secret.optional(),
    }),
    table({
      type: z.literal('oauth2'),
      token_url: text.optional(),
      client_id: text,
      secret: secret.optional(),
      scopes: z.array(text, 'has to be a list of texts').optional(),
    }),
  ],
  'needs a type: bearer, basic, api_key, header or oauth2',
)

const frozenParams = z.record(z.string(), z.unknown(), 'has to be a table').default({})

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
  frozen_params: frozenParams,
  ...shared,
})

const server = table({ url: text, ...shared })

const name = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/, 'an API has a name of a-z, 0-9 and _, such as my_api')
  .refine((word) => !RESERVED.includes(word), `none of ${RESERVED.join(', ')} can be an API's name`)

/** Everything in the file; `io` is for scripts that run locally, and checked where they do. */
export const settingsSchema = table({
  apis: z.record(name, api, 'has to be a table').default({}),
  mcp_servers: z.record(name, server, 'has to be a table').default({}),
  frozen_params: frozenParams,
  io: z.unknown().optional(),
})

export type Settings = z.output<typeof settingsSchema>
export type ApiSettings = z.output<typeof api>
export type ServerSettings = z.output<typeof server>
export type AuthSettings = z.output<typeof auth>

/** Whether requests can have a header or cookie of this name. */
export function isHeaderName(word: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(word)
}

function table<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return 'has to be a table'
      const keys = (issue as { keys: string[] }).keys
      return keys
        .map((key) => `there is no "${key}"${didYouMean(key, Object.keys(shape))}`)
        .join('; ')
    },
  })
}
