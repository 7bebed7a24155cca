/** From a specification to a request that arrives: what the compiler writes is what the runtime reads. */
import { tempFolder } from '../../support/temp-folder.ts'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../../../src/limits.ts'
import { compileCatalog } from '../../../infra/build/apis/compile-catalog.ts'
import { configureApis } from '../../../src/sdk/catalog/configure.ts'
import { runApis } from '../../../src/sdk/call/run-apis.ts'
import { answering } from '../../support/answering.ts'
import { openapi, swagger } from './compile-spec.ts'

/** What the API was sent. */
interface Seen {
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

let server: Server
let origin: string
let seen: Seen[] = []

beforeAll(async () => {
  const listener = answering(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    seen.push({ url: request.url!, headers: request.headers, body })
    response.setHeader('Content-Type', 'application/json').end('{"ok":true}')
  })
  server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => server.close())

/** Calls functions of an API at the server; the requests they became. */
async function calling(spec: unknown, settings: string, ...calls: readonly [string, object][]) {
  const folder = tempFolder({
    'shop.json': JSON.stringify(spec),
    'moonbucket.toml': `[apis.shop]\nspec = "shop.json"\nbase_url = "${origin}/v1"\nwrite = true\n${settings}`,
  })
  const { texts } = compileCatalog(`${folder}/moonbucket.toml`, 'moonbucket.toml')
  const env = { SHOP_KEY: 'secret-key' }
  const apis = configureApis(texts, { env, allowsLoopback: true, now: () => new Date() })!
  const ending = { signal: new AbortController().signal }
  const run = runApis({ ...apis, limits: DEFAULT_LIMITS, callerAuth: new Map(), ending })
  const noFiles = {
    read: () => Promise.reject(new Error()),
    save: () => Promise.reject(new Error()),
  }
  seen = []
  for (const [name, args] of calls) {
    const answer = await run.call({ name, argsJson: JSON.stringify(args) }, noFiles)
    const text = answer.kind === 'nothing' ? '' : new TextDecoder().decode(answer.bytes)
    expect(text).toBe('{"ok":true}')
  }
  return seen
}

const text = { schema: { type: 'string' } }
const list = { schema: { type: 'array', items: { type: 'string' } } }

describe('a compiled function', () => {
  it('sends the parameters of its path, encoded', async () => {
    const spec = openapi({
      '/shops/{shop}/things': {
        parameters: [
          { name: 'shop', in: 'path', required: true, ...text },
          { name: 'X-Org', in: 'header', required: true, ...text },
        ],
        get: { operationId: 'find', parameters: [{ name: 'q', in: 'query', ...text }] },
      },
    })
    const [request] = await calling(spec, '', [
      'shop.find',
      { shop: 'a/b c', X_Org: 'o', q: 'x&y' },
    ])
    expect(request?.url).toBe('/v1/shops/a%2Fb%20c/things?q=x%26y')
    expect(request?.headers['x-org']).toBe('o')
  })

  it.each([
    [{ name: 'p', in: 'query', ...list }, 'p=a&p=b'],
    [{ name: 'p', in: 'query', explode: false, ...list }, 'p=a,b'],
    [{ name: 'p', in: 'query', style: 'spaceDelimited', ...list }, 'p=a%20b'],
    [{ name: 'p', in: 'query', style: 'pipeDelimited', ...list }, 'p=a%7Cb'],
    [
      { name: 'p', in: 'query', content: { 'application/json': list } },
      'p=%5B%22a%22%2C%22b%22%5D',
    ],
  ])('writes lists as it should: %j', async (parameter, query) => {
    const spec = openapi({ '/things': { get: { operationId: 'find', parameters: [parameter] } } })
    const [request] = await calling(spec, '', ['find', { p: ['a', 'b'] }])
    expect(request?.url).toBe(`/v1/things?${query}`)
  })

  it.each([
    ['csv', 'p=a,b'],
    ['multi', 'p=a&p=b'],
    ['ssv', 'p=a%20b'],
    ['pipes', 'p=a%7Cb'],
  ])('of Swagger 2 writes lists as %s', async (collectionFormat, query) => {
    const parameter = { name: 'p', in: 'query', type: 'array', items: { type: 'string' } }
    const parameters = [{ ...parameter, collectionFormat }]
    const spec = swagger({ '/things': { get: { operationId: 'find', parameters } } })
    const [request] = await calling(spec, '', ['find', { p: ['a', 'b'] }])
    expect(request?.url).toBe(`/v1/things?${query}`)
  })

  it.each([
    ['query', 'api_key', 'url', '/v1/things?api_key=secret-key'],
    ['header', 'X-Key', 'x-key', 'secret-key'],
    ['cookie', 'sid', 'cookie', 'sid=secret-key'],
  ])('has its key in the %s', async (place, name, where, value) => {
    const components = { securitySchemes: { key: { type: 'apiKey', in: place, name } } }
    const paths = { '/things': { get: { operationId: 'find' } } }
    const spec = openapi(paths, { components, security: [{ key: [] }] })
    const auth = 'auth = { type = "api_key", secret = "SHOP_KEY" }'
    const [request] = await calling(spec, auth, ['find', {}])
    expect(where === 'url' ? request?.url : request?.headers[where]).toBe(value)
  })

  it('has no credential where it says that it needs none', async () => {
    const components = { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } }
    const paths = {
      '/open': { get: { operationId: 'open', security: [] } },
      '/closed': { get: { operationId: 'closed' } },
    }
    const spec = openapi(paths, { components, security: [{ key: [] }] })
    const auth = 'auth = { type = "api_key", secret = "SHOP_KEY" }'
    const requests = await calling(spec, auth, ['open', {}], ['closed', {}])
    expect(requests.map(({ headers }) => headers['x-key'])).toEqual([undefined, 'secret-key'])
  })

  it('sends what the operator fixed', async () => {
    const parameters = [
      { name: 'account', in: 'query', ...text },
      { name: 'X-Org', in: 'header', ...text },
    ]
    const spec = openapi({ '/do?action=list': { get: { operationId: 'find', parameters } } })
    const frozen = '[apis.shop.frozen_params]\n"query.account" = 42\n"header.x-org" = "acme"\n'
    const [request] = await calling(spec, frozen, ['find', {}])
    expect(request?.url).toBe('/v1/do?account=42&action=list')
    expect(request?.headers['x-org']).toBe('acme')
  })

  it.each([
    ['application/json', '{"name":"Rex","tags":["a"]}'],
    ['application/x-www-form-urlencoded', 'name=Rex&tags=a'],
  ])('sends its body as %s', async (type, body) => {
    const schema = { type: 'object', properties: { name: {}, tags: {} }, required: ['name'] }
    const requestBody = { required: true, content: { [type]: { schema } } }
    const spec = openapi({ '/things': { post: { operationId: 'make', requestBody } } })
    const [request] = await calling(spec, '', ['make', { body: { name: 'Rex', tags: ['a'] } }])
    expect(request?.headers['content-type']).toBe(type)
    expect(request?.body).toBe(body)
  })

  it('has parameters with one name in two places', async () => {
    const spec = openapi({
      '/things/{id}': {
        get: {
          operationId: 'find',
          parameters: [
            { name: 'id', in: 'path', ...text },
            { name: 'id', in: 'query', ...text },
            { name: 'constructor', in: 'query', ...text },
            { name: 'body', in: 'query', ...text },
          ],
        },
      },
    })
    const args = { id: '1', query_id: '2', query_body: 'b' }
    const [request] = await calling(spec, '', ['find', args])
    expect(request?.url).toBe('/v1/things/1?id=2&body=b')
  })
})
