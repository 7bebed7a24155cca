/** `openapi.json`: the HTTP API as OpenAPI 3.1, from the schemas of requests and responses. */
import * as z from 'zod'
import { refusedSchema } from '../../../../src/operations/envelope.ts'
import { VERSION } from '../../../../src/version.ts'
import { GROUPS, RESPONSE_HEADERS } from '../api/api-operation.ts'
import { FAILURES } from '../api/failures.ts'
import { API_OPERATIONS } from '../api/operations.ts'
import type { RecordedAnswers } from '../api/record-answers.ts'
import { describeOperation } from './describe-operation.ts'
import { jsonSchemaOf } from './json-schema.ts'

const ABOUT: Readonly<Record<(typeof GROUPS)[number], string>> = {
  Scripts: 'Run Lua in a fresh VM.',
  Files: 'Work with files without a script. Responses have an envelope.',
  Links: 'Links that open or upload files without a bearer token, and pages for people.',
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
        Object.entries(RESPONSE_HEADERS).map(([name, description]) => [
          name,
          { description, schema: { type: 'string' } },
        ]),
      ),
      schemas,
    },
  }
}
