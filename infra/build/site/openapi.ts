/** `openapi.json`: the HTTP API as OpenAPI 3.1, from the schemas of requests and responses. */
import * as z from 'zod'
import { refusedSchema } from '../../../src/operations/envelope.ts'
import { VERSION } from '../../../src/version.ts'
import {
  API_OPERATIONS,
  GROUPS,
  RESPONSE_HEADERS,
  type Answer,
  type ApiOperation,
  type ResponseHeader,
} from './api/operations.ts'
import { FAILURES, failuresByStatus } from './api/failures.ts'
import type { RecordedAnswers } from './api/record-answers.ts'

const ABOUT: Readonly<Record<(typeof GROUPS)[number], string>> = {
  Scripts: 'Run Lua in a fresh VM.',
  Runs: 'Runs in the background, and those with an `Idempotency-Key`: kept for some days.',
  Files: 'Work with files without a script. Responses have an envelope.',
  Links: 'Links that open or upload files without a bearer token, and pages for people.',
  Keys: 'API keys of a tenant, for tokens with the scope `admin`.',
  Service: 'Health, and this document.',
}

const DESCRIPTION =
  'Runs Lua scripts in fresh VMs and keeps their files in your own bucket. `/docs` has the documentation; `/mcp` offers the same operations to models.'

/** Error format everywhere but under `/fs`. */
const errorBody = z.strictObject({
  error: z.strictObject({
    code: z.enum(FAILURES.map(({ code }) => code)).describe('Stable: switch on it.'),
    message: z.string().describe('One sentence for people.'),
    request_id: z.string().describe('Identifies the request in the log.'),
  }),
})

/** @param answers Recorded responses of the examples. */
export function openApiDocument(answers: RecordedAnswers): object {
  const schemas: Record<string, object> = {
    Error: jsonSchemaOf(errorBody, 'output'),
    Refusal: jsonSchemaOf(refusedSchema(), 'output'),
  }
  const name = (key: string, schema: object) => {
    schemas[key] = schema
    return { $ref: `#/components/schemas/${key}` }
  }
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of API_OPERATIONS) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method]: describeOperation(operation, answers, name),
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Moonbucket',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this service' },
    },
    servers: [{ url: '/' }],
    tags: GROUPS.map((group) => ({ name: group, description: ABOUT[group] })),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A JWT or an API key, with the scopes that an operation needs.',
        },
      },
      headers: Object.fromEntries(
        Object.entries(RESPONSE_HEADERS).map(([header, description]) => [
          header,
          { description, schema: { type: 'string' } },
        ]),
      ),
      schemas,
    },
  }
}

/** Registers a named schema and returns its reference. */
export type NameSchema = (name: string, schema: object) => { readonly $ref: string }

export function describeOperation(
  operation: ApiOperation,
  answers: RecordedAnswers,
  name: NameSchema,
): object {
  const { id, group, title, description, scopes } = operation
  const parameters = parametersOf(operation)
  return {
    operationId: id,
    tags: [group],
    summary: title,
    description: scopes
      ? `${description} Requires the scope ${scopes.map((scope) => `\`${scope}\``).join(' and ')}.`
      : description,
    security: scopes ? [{ bearer: [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && { requestBody: requestBody(operation, name) }),
    responses: {
      ...Object.fromEntries(
        operation.answers.map((answer) => [
          answer.status,
          describeAnswer(operation, answer, answers, name),
        ]),
      ),
      ...failuresOf(operation),
    },
  }
}

/** `file_read` → `FileRead`. */
function pascal(id: string): string {
  return id.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function parametersOf({ params, query, headers, example }: ApiOperation): object[] {
  const places = [
    ['path', params, undefined],
    ['query', query, example.query],
    ['header', headers, example.headers],
  ] as const
  return places.flatMap(([place, fields, values]) => {
    if (!fields) return []
    const { properties = {}, required = [] } = jsonSchemaOf(fields, 'input')
    return Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: place,
      required: required.includes(name),
      ...(description && { description }),
      schema,
      ...(values?.[name] !== undefined && { example: typed(values[name], schema) }),
    }))
  })
}

/** Addresses have text only. */
function typed(value: string, { type }: JsonSchema): string | number {
  return type === 'integer' ? Number(value) : value
}

function requestBody({ id, body, example }: ApiOperation, name: NameSchema): object {
  if (body === 'bytes' || !body) {
    const media = { schema: { type: 'string', format: 'binary' }, example: example.body }
    return { required: true, content: { 'application/octet-stream': media } }
  }
  const schema = name(`${pascal(id)}Request`, defaultsInWords(jsonSchemaOf(body, 'input')))
  return { required: true, content: { 'application/json': { schema, example: example.body } } }
}

/** Some generators make a field with a default one that callers must send. */
function defaultsInWords(schema: JsonSchema): JsonSchema {
  const fields = Object.entries(schema.properties ?? {}).map(([field, declared]) => {
    const { default: value, ...rest } = declared
    if (value === undefined) return [field, declared]
    const words = `Default: \`${JSON.stringify(value)}\`.`
    return [field, { ...rest, description: [rest.description, words].filter(Boolean).join(' ') }]
  })
  return { ...schema, ...(schema.properties && { properties: Object.fromEntries(fields) }) }
}

function describeAnswer(
  { id }: ApiOperation,
  { description, content, headers: named = [] }: Answer,
  answers: RecordedAnswers,
  name: NameSchema,
): object {
  const headers = headersOf(['X-Request-Id', ...named])
  if (!content) return { description, headers }
  const media = Object.entries(content).map(([type, schema]) => {
    if (schema === 'bytes') return [type, { schema: { type: 'string', format: 'binary' } }]
    if (schema === 'events') {
      return [type, { schema: { type: 'string' }, example: answers.get(id)?.text }]
    }
    const recorded = answers.get(id)
    // `openapi.json` itself is not recorded: show its beginning.
    const example: unknown = recorded
      ? JSON.parse(recorded.text)
      : { openapi: '3.1.1', info: { version: VERSION } }
    return [type, { schema: name(`${pascal(id)}Answer`, jsonSchemaOf(schema, 'output')), example }]
  })
  return { description, headers, content: Object.fromEntries(media) }
}

const FAILURE_HEADERS: Readonly<Record<number, readonly ResponseHeader[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

function headersOf(names: readonly ResponseHeader[]): object {
  const described = names.map((name) => [name, { $ref: `#/components/headers/${name}` }])
  return Object.fromEntries(described) as object
}

function failuresOf({ failures, hasEnvelope }: ApiOperation): Record<number, object> {
  const schema = { $ref: `#/components/schemas/${hasEnvelope ? 'Refusal' : 'Error'}` }
  const responses = Array.from(failuresByStatus(failures), ([status, causes]) => {
    const description = causes.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join(' ')
    const headers = headersOf(['X-Request-Id', ...(FAILURE_HEADERS[status] ?? [])])
    return [status, { description, headers, content: { 'application/json': { schema } } }]
  })
  return Object.fromEntries(responses) as Record<number, object>
}

export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly [keyword: string]: unknown
}

/** @param io Request or response. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      // Zod's default integer bounds are noise.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  }) as JsonSchema
  return json
}
