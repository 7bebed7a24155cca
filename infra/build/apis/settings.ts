/** The schema of `moonbucket.toml`; unknown keys are errors. */
import * as z from 'zod'
import { SETTINGS } from '../../../src/config.ts'
import { isHeaderName } from '../../../src/sdk/call/build-request.ts'
import { didYouMean } from '../../../src/sdk/catalog/nearest.ts'

/** Reserved in `sdk.`. */
const RESERVED = ['search', 'help', 'parallel', 'pages']

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
  frozen_params: frozenParams,
  ...shared,
})

const server = table({ url: text, ...shared })

const name = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/, 'API names have a-z, 0-9 and _, such as my_api')
  .refine((word) => !RESERVED.includes(word), `none of ${RESERVED.join(', ')} can be an API's name`)

/** `io` is checked where scripts run locally. */
export const settingsSchema = table({
  apis: z.record(name, api, 'must be a table').default({}),
  mcp_servers: z.record(name, server, 'must be a table').default({}),
  frozen_params: frozenParams,
  io: z.unknown().optional(),
})

export type Settings = z.output<typeof settingsSchema>
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
