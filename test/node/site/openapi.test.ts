/** `openapi.json` has every route, and its examples and a client generated from it work. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { afterAll, describe, expect, it } from 'vitest'
import { ALL_SCOPES } from '../../../src/caller.ts'
import { configureApis } from '../../../src/sdk/call/run-apis.ts'
import { compileCatalog } from '../../../infra/build/apis/compile-catalog.ts'
import { API_OPERATIONS, type ApiOperation } from '../../../infra/build/site/api/operations.ts'
import { exampleRequest, linkTokenIn, idIn } from '../../../infra/build/site/api/examples.ts'
import { SITE_FOLDER } from '../../../infra/build/site/build.ts'
import { makeApp } from '../../support/make-app.ts'
import { memorySite } from '../../support/memory-site.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { serveApp } from './serve-app.ts'

interface Media {
  readonly schema: { readonly $ref?: string }
}

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, Media>> }>
  >
}

interface Document {
  readonly components: object
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const FILE = join(SITE_FOLDER, 'openapi.json')
const text = readFileSync(FILE, 'utf8')
const document = JSON.parse(text) as Document

/** Pages, and a protocol that describes itself. */
const NOT_DESCRIBED = [
  'GET /',
  'GET /assets/*',
  'GET /docs',
  'GET /docs.md',
  'GET /docs/*',
  'GET /llms-full.txt',
  'GET /llms.txt',
  'GET /files/in',
  'POST /files/in',
  'GET /local-token.json',
  'ALL /mcp',
  'POST /register',
]

const service = await serveApp()
afterAll(() => service.stop())

it('the document describes nothing with an empty text', () => {
  expect(text).not.toMatch(/"(?:title|summary|description)":\s*"\s*"/)
})

it('the document has every route of the service and no other', async () => {
  const { app } = await makeApp({ site: memorySite({}) })
  // Middleware stands for no request of its own: it is there for all methods, or for another route.
  const handled = app.routes
    .filter(({ method, path }) => method !== 'ALL' || path === '/mcp')
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect([...described, ...NOT_DESCRIBED].sort()).toEqual([...new Set(handled)].sort())
})

const token = await service.tokenOf({ scope: ALL_SCOPES })

describe('the examples, one after the other', () => {
  const linkTokens = new Map<string, string | undefined>()
  const ids = new Map<string, string | undefined>()
  it.each(API_OPERATIONS.map((operation) => [operation.id, operation] as const))(
    '%s answers as described',
    async (id, operation) => {
      const linkToken = linkTokens.get(operation.example.linkFrom ?? '')
      const pathId = ids.get(operation.example.idFrom ?? '')
      const { origin } = service
      const request = exampleRequest(operation, { origin, token, linkToken, id: pathId })
      const response = await fetch(request)
      const type = response.headers.get('Content-Type')?.split(';')[0] ?? ''
      const body = await response.text()
      expect([response.status, body]).toEqual([expect.toSatisfy(isDescribed(operation)), body])
      if (type !== 'application/json') return
      const { schema } =
        document.paths[operation.path]![operation.method]!.responses[response.status]!.content![
          type
        ]!
      expect(problemIn(JSON.parse(body), schema)).toBeUndefined()
      linkTokens.set(id, linkTokenIn(JSON.parse(body)))
      ids.set(id, idIn(JSON.parse(body)))
    },
  )

  it.each([
    ['/execute', 'POST', '{"script": 1}', 422],
    ['/execute', 'POST', '{', 400],
    ['/fs/read', 'POST', '{"path": "nowhere.txt"}', 404],
    ['/fs/read', 'POST', '{"path": "../x"}', 400],
    ['/links', 'POST', '{"path": "nowhere.txt"}', 404],
    ['/files/out?path=a&token=forged', 'GET', undefined, 403],
  ])('%s %s with %s fails with %s as described', async (path, method, body, status) => {
    const headers = { Authorization: `Bearer ${token}` }
    const response = await fetch(service.origin + path, { method, headers, ...(body && { body }) })
    expect(response.status).toBe(status)
    const described = document.paths[path.split('?')[0]!]![method.toLowerCase()]!.responses[status]!
    const { schema } = described.content!['application/json']!
    expect(problemIn(await response.json(), schema)).toBeUndefined()
  })
})

/** What a validator that clients use has against a value. */
function problemIn(value: unknown, schema: Media['schema']): string | undefined {
  const { components } = document
  return new AjvJsonSchemaValidator().getValidator({ ...schema, components } as object)(value)
    .errorMessage
}

const isDescribed = (operation: ApiOperation) => (status: number) =>
  operation.answers.some((answer) => answer.status === status)

it('a client made from the document is one that scripts can call: the service calls itself', async () => {
  const folder = tempFolder({
    'openapi.json': text,
    'moonbucket.toml': `[apis.moonbucket]
spec = "openapi.json"
base_url = "${service.origin}"
auth = { type = "bearer", secret = "INNER_TOKEN" }
write = true`,
  })
  const { texts, warnings } = compileCatalog(join(folder, 'moonbucket.toml'), 'moonbucket.toml')
  expect(warnings).toEqual([])
  const apis = configureApis(texts, {
    env: { INNER_TOKEN: await service.tokenOf({ sub: 'inner' }) },
    allowsLoopback: true,
    now: () => new Date(),
  })
  const outer = await makeApp({ apis })
  const { result, error } = await outer.run(`
    local inner = sdk.moonbucket
    local ran = inner.execute_script{ body = {
      script = 'io.open("output/inner.txt", "w"):write("from ", args.who):close() return 6 * 7',
      args = { who = "outside" },
    } }
    local read = inner.file_read{ body = { path = "output/inner.txt" } }
    local bytes = inner.get_content{ path = "output/inner.txt" }
    local ok, problem = pcall(inner.file_read, { body = { path = "missing.txt" } })
    return { ran.result, ran.files_touched[1].name, read.data.content, bytes, ok, problem.status, inner.health().status }`)
  expect([error, result]).toEqual([
    undefined,
    [42, 'output/inner.txt', 'from outside', 'from outside', false, 404, 'ok'],
  ])
})
