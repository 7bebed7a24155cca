/** Nothing runs without its scopes, whichever face of the service it is asked through. */
import { describe, expect, it } from 'vitest'
import { SCOPES, type Caller, type Scope } from '../../src/caller.ts'
import { answerMessage } from '../../src/mcp/server.ts'
import { OPERATIONS as ALL } from '../../src/operations/registry.ts'
import type { Apis } from '../../src/sdk/call/run-apis.ts'
import { ToolLists } from '../../src/sdk/upstream/upstream-servers.ts'
import {
  ADDRESS,
  headersOf,
  makeMcp,
  messagesOf,
  MODERN,
  requestOf,
  REVISIONS,
} from '../mcp/make-mcp.ts'
import { postTo } from '../support/call-route.ts'
import { ORIGIN } from '../support/make-app.ts'
import { makeCatalog } from '../support/make-catalog.ts'

const READ = ['files:read'] as const
const WRITE = ['files:write'] as const
const BOTH = ['files:write', 'files:read'] as const
const RUN = ['execute'] as const
const RUN_SAVED = ['execute', 'files:read'] as const

/** By name: input that works, and everything it needs. */
const NEEDED: Readonly<Record<string, readonly [object, readonly Scope[]]>> = {
  execute: [{ script: 'file.save("b", "x") return 1' }, RUN],
  run_saved_script: [{ name: 'a' }, RUN_SAVED],
  list_saved_scripts: [{}, RUN_SAVED],
  list_apis: [{}, RUN],
  search_docs: [{ query: 'x' }, RUN],
  list_functions: [{ api: 'a' }, RUN],
  get_function_docs: [{ name: 'a.f' }, RUN],
  get_schema: [{ name: 'a.T' }, RUN],
  read: [{ path: 'a' }, READ],
  document: [{ path: 'a' }, READ],
  write: [{ path: 'b', content: 'x' }, WRITE],
  append: [{ path: 'b', content: 'x' }, WRITE],
  list: [{}, READ],
  mkdir: [{ path: 'd' }, WRITE],
  copy: [{ from: 'a', to: 'b' }, BOTH],
  move: [{ from: 'a', to: 'b' }, BOTH],
  delete: [{ path: 'a' }, WRITE],
  exists: [{ path: 'a' }, READ],
  info: [{ path: 'a' }, READ],
  edit: [{ path: 'a', old: 'x', new: 'y' }, BOTH],
  find: [{ pattern: '*' }, READ],
  search: [{ pattern: 'x' }, READ],
  patch: [{ patch: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n' }, BOTH],
  put_content: [{ path: 'b' }, WRITE],
  get_content: [{ path: 'a' }, READ],
  links: [{ path: 'a' }, READ],
  'links/upload': [{ path: 'b' }, WRITE],
  'links/revoke': [{ path: 'a' }, WRITE],
  reports: [{ title: 'T', content: 'x' }, WRITE],
  usage: [{}, RUN],
}
/** Those of runs and of keys are in runs.test.ts and keys.test.ts: they need a run or a key. */
const OPERATIONS = ALL.filter(({ needs, scopes }) => needs !== 'runs' && !scopes.includes('admin'))
const TAKING_JSON = OPERATIONS.filter(({ route }) => route?.startsWith('POST'))
const TOOLS = OPERATIONS.filter(({ tool }) => tool)

const APIS: Apis = {
  catalog: makeCatalog({ a: { calls: { f: {} }, types: { T: { text: '{}' } } } }),
  secretOf: () => undefined,
  fetch: () => Promise.reject(new Error('nobody calls it')),
  allowsLoopback: false,
  fetchAccessToken: () => Promise.reject(new Error('no API here has one')),
  toolLists: new ToolLists(() => new Date()),
}

/** Each missing scope alone, with all the others there. */
const lacking = (needed: readonly Scope[]) =>
  needed.map((missing) => SCOPES.filter((scope) => scope !== missing))

/** The parts of a challenge, in any order. */
const challengeOf = ({ status, headers }: Response) => [
  status,
  new Set(headers.get('WWW-Authenticate')?.split(/, | (?=realm)/)),
]
const insufficient = (needed: readonly Scope[]) => [
  403,
  new Set([
    'Bearer',
    'realm="moonbucket"',
    'error="insufficient_scope"',
    `scope="${needed.join(' ')}"`,
  ]),
]

const sentence = (missing: Scope) => `The token lacks the scope "${missing}".`

async function makeFaces() {
  const made = await makeMcp({ apis: APIS, env: { QUOTA_API_BYTES_DAY: '1000' } })
  await made.run('file.save("a", "x\\n") file.save("scripts/a.lua", "return 1")')
  const before = await made.textsUnder()

  function contextOf(scopes: readonly Scope[]) {
    const caller: Caller = {
      tenant: made.tenant,
      user: 'alice',
      isCompanion: false,
      scopes: new Set(scopes),
    }
    const upload = { body: new Blob(['x']).stream(), headers: new Headers() }
    return { service: made.service, caller, requestId: 'r', baseUrl: ORIGIN, upload }
  }

  /** A message that did not come through the doors of `/mcp`, as over stdio. */
  async function pastTheDoor(method: string, params: object, scopes: readonly Scope[]) {
    const body = requestOf(method, { ...params })
    const request = new Request(ADDRESS, {
      method: 'POST',
      headers: headersOf(MODERN, method, { ...params }),
      body: JSON.stringify(body),
    })
    const model = { ctx: contextOf(scopes), keepAlive: () => undefined }
    const [answer] = await messagesOf(await answerMessage(request, body, model))
    return answer!
  }

  const assertUnchanged = async () => expect(await made.textsUnder()).toEqual(before)
  return { ...made, contextOf, pastTheDoor, assertUnchanged }
}

it('every operation is in the table', () => {
  expect(OPERATIONS.map(({ name }) => name)).toEqual(Object.keys(NEEDED))
})

it.each(OPERATIONS)('$name does not run without its scopes', async (operation) => {
  const [input, needed] = NEEDED[operation.name]!
  const { contextOf, assertUnchanged } = await makeFaces()
  for (const [i, scopes] of lacking(needed).entries()) {
    for (const { run } of [operation, operation.asTool]) {
      await expect(run(contextOf(scopes), input)).rejects.toMatchObject({
        code: 'forbidden',
        message: sentence(needed[i]!),
        scope: needed.join(' '),
      })
    }
  }
  await assertUnchanged()
  await expect(operation.run(contextOf(needed), input)).resolves.toBeDefined()
})

it.each(TAKING_JSON)('$name is 403 over HTTP, before its body is read', async (operation) => {
  const [fields, needed] = NEEDED[operation.name]!
  const made = await makeFaces()
  const { address, input } = addressed(operation.route!.slice('POST '.length), fields)
  for (const [i, scopes] of lacking(needed).entries()) {
    const Authorization = `Bearer ${await made.tokenOf({ scope: scopes.join(' ') })}`
    for (const body of [JSON.stringify(input), '{']) {
      const request = { method: 'POST', body, headers: { Authorization } }
      const response = await made.app.request(ORIGIN + address, request)
      expect(challengeOf(response)).toEqual(insufficient(needed))
      expect(await response.text()).toContain(JSON.stringify(sentence(needed[i]!)).slice(1, -1))
    }
  }
  await made.assertUnchanged()
  const allowed = await postTo(made, address.slice(1), input, { scope: needed.join(' ') })
  expect(allowed.status).toBe(200)
})

/** A field in the address is not in the body. */
function addressed(template: string, { name, ...input }: { readonly name?: string }) {
  const hasName = template.includes('{name+}')
  return hasName
    ? { address: template.replace('{name+}', name!), input }
    : { address: template, input: { ...input, ...(name !== undefined && { name }) } }
}

/** What a model may ask for, and the scopes that it needs. */
const METHODS: [string, string, object, readonly Scope[]][] = [
  ...TOOLS.map(({ name, tool }): (typeof METHODS)[number] => {
    const [input, needed] = NEEDED[name]!
    return [tool!, 'tools/call', { name: tool, arguments: input }, needed]
  }),
  ['resources/list', 'resources/list', {}, READ],
  ['resources/read', 'resources/read', { uri: 'moonbucket:///a' }, READ],
  ['resources/templates/list', 'resources/templates/list', {}, []],
  ['tools/list', 'tools/list', {}, []],
  ['an unknown tool', 'tools/call', { name: 'nonsense', arguments: {} }, []],
]

it.each(METHODS)('%s is 403 to a model without its scopes', async (_, method, params, needed) => {
  const { send, events, assertUnchanged } = await makeFaces()
  for (const [i, scopes] of lacking(needed).entries()) {
    events.length = 0
    const ask = { revision: REVISIONS[i]!, claims: { scope: scopes.join(' ') } }
    const response = await send(requestOf(method, { ...params }, ask), ask)
    const request_id = response.headers.get('X-Request-Id')
    const message = sentence(needed[i]!)
    expect(challengeOf(response)).toEqual(insufficient(needed))
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      error: { code: -32_000, message, data: { code: 'forbidden', request_id } },
    })
    expect(events).toMatchObject([
      { event: 'denied', request_id, status: 403, reason: message, user: 'alice' },
    ])
  }
  await assertUnchanged()
  const ask = { claims: { scope: needed.join(' ') } }
  const allowed = await send(requestOf(method, { ...params }, ask), ask)
  expect(allowed.status).toBe(200)
  await allowed.text()
})

it.each(TOOLS)('$tool refuses a model that comes in another way', async ({ name, tool }) => {
  const [input, needed] = NEEDED[name]!
  const { pastTheDoor, assertUnchanged } = await makeFaces()
  for (const [i, scopes] of lacking(needed).entries()) {
    const { result } = await pastTheDoor('tools/call', { name: tool, arguments: input }, scopes)
    expect(result).toMatchObject({ isError: true })
    expect(JSON.stringify(result)).toContain(needed[i])
  }
  await assertUnchanged()
})

describe('a model that comes in another way', () => {
  it.each([
    ['resources/list', {}],
    ['resources/read', { uri: 'moonbucket:///a' }],
  ])('does not get %s without files:read', async (method, params) => {
    const { pastTheDoor } = await makeFaces()
    const { error, result } = await pastTheDoor(method, params, ['execute', 'files:write'])
    expect([error?.message, result]).toEqual([sentence('files:read'), undefined])
  })
})

it.each([
  ['GET', 'files:read'],
  ['HEAD', 'files:read'],
  ['PUT', 'files:write'],
] as const)('/fs/content is 403 to %s without %s', async (method, needed) => {
  const { app, tokenOf, assertUnchanged } = await makeFaces()
  const scope = lacking([needed])[0]!.join(' ')
  const headers = { Authorization: `Bearer ${await tokenOf({ scope })}` }
  const body = method === 'PUT' ? { body: 'y' } : {}
  const address = `${ORIGIN}/fs/content?path=a`
  expect((await app.request(address, { method, headers, ...body })).status).toBe(403)
  await assertUnchanged()
})
