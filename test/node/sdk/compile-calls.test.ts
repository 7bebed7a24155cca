/** From a specification to a request that arrives: what the compiler writes is what the runtime reads. */
import { afterAll, describe, expect, it } from 'vitest'
import { compileFiles, openapi } from './compile-spec.ts'
import { makeCompiledApp } from './make-api-app.ts'
import { startApi } from './start-api.ts'

const api = await startApi()
afterAll(() => api.stop())

/** Calls functions of an API, each with arguments in Lua; the requests they became. */
async function calling(spec: unknown, settings: string, ...calls: readonly string[]) {
  const { texts } = compileFiles({
    'shop.json': JSON.stringify(spec),
    'moonbucket.toml': `[apis.shop]\nspec = "shop.json"\nbase_url = "${api.origin}/v1"\nwrite = true\n${settings}`,
  })
  const app = await makeCompiledApp(texts, { secrets: { SHOP_KEY: 'secret-key' } })
  api.answer(() => ({ ok: true }))
  for (const call of calls) {
    expect(await app.resultOf(`return sdk.shop.${call}`)).toEqual({ ok: true })
  }
  return api.seen
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
    const [request] = await calling(spec, '', 'find{shop = "a/b c", X_Org = "o", q = "x&y"}')
    expect(request?.target).toBe('/v1/shops/a%2Fb%20c/things?q=x%26y')
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
    const [request] = await calling(spec, '', 'find{p = {"a", "b"}}')
    expect(request?.target).toBe(`/v1/things?${query}`)
  })

  it.each([
    ['query', 'api_key', 'target', '/v1/things?api_key=secret-key'],
    ['header', 'X-Key', 'x-key', 'secret-key'],
    ['cookie', 'sid', 'cookie', 'sid=secret-key'],
  ])('has its key in the %s', async (place, name, where, value) => {
    const components = { securitySchemes: { key: { type: 'apiKey', in: place, name } } }
    const paths = { '/things': { get: { operationId: 'find' } } }
    const spec = openapi(paths, { components, security: [{ key: [] }] })
    const auth = 'auth = { type = "api_key", secret = "SHOP_KEY" }'
    const [request] = await calling(spec, auth, 'find{}')
    expect(where === 'target' ? request?.target : request?.headers[where]).toBe(value)
  })

  it('has no credential where it says that it needs none', async () => {
    const components = { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } }
    const paths = {
      '/open': { get: { operationId: 'open', security: [] } },
      '/closed': { get: { operationId: 'closed' } },
    }
    const spec = openapi(paths, { components, security: [{ key: [] }] })
    const auth = 'auth = { type = "api_key", secret = "SHOP_KEY" }'
    const requests = await calling(spec, auth, 'open{}', 'closed{}')
    expect(requests.map(({ headers }) => headers['x-key'])).toEqual([undefined, 'secret-key'])
  })

  it('sends what the operator fixed', async () => {
    const parameters = [
      { name: 'account', in: 'query', ...text },
      { name: 'X-Org', in: 'header', ...text },
    ]
    const spec = openapi({ '/do?action=list': { get: { operationId: 'find', parameters } } })
    const frozen = '[apis.shop.frozen_params]\n"query.account" = 42\n"header.x-org" = "acme"\n'
    const [request] = await calling(spec, frozen, 'find{}')
    expect(request?.target).toBe('/v1/do?account=42&action=list')
    expect(request?.headers['x-org']).toBe('acme')
  })

  it.each([
    ['application/json', '{"name":"Rex","tags":["a"]}'],
    ['application/x-www-form-urlencoded', 'name=Rex&tags=a'],
  ])('sends its body as %s', async (type, body) => {
    const schema = { type: 'object', properties: { name: {}, tags: {} }, required: ['name'] }
    const requestBody = { required: true, content: { [type]: { schema } } }
    const spec = openapi({ '/things': { post: { operationId: 'make', requestBody } } })
    const [request] = await calling(spec, '', 'make{body = {name = "Rex", tags = {"a"}}}')
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
    const call = 'find{id = "1", query_id = "2", query_body = "b"}'
    const [request] = await calling(spec, '', call)
    expect(request?.target).toBe('/v1/things/1?id=2&body=b')
  })
})
