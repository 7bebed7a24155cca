/**
 * Whatever way one caller stores a file, no other caller sees or changes it by any way.
 *
 * `npm test` pairs every way to store with every way to look, and every way to look with every
 * intruder; `npm run test:all` tries the whole product.
 */
import { describe, expect, it } from 'vitest'
import { FILE_OPERATIONS, PLAIN_OPERATIONS } from '../support/operations.ts'
import { makeMcp, REVISIONS } from '../mcp/make-mcp.ts'
import { callersLike, claimsOf, newTenant, tenantsLike } from '../support/alike-callers.ts'
import { ORIGIN, type Answer, type Claims } from '../support/make-app.ts'
import { isAll } from '../support/tier.ts'

type Made = Awaited<ReturnType<typeof makeMcp>>

const SECRET = 'kept by its owner'
const FORGERY = 'written by an intruder'

async function send(made: Made, claims: Claims, address: string, init: RequestInit = {}) {
  const headers = { Authorization: `Bearer ${await made.tokenOf(claims)}` }
  const response = await made.app.request(new URL(address, ORIGIN).href, { ...init, headers })
  return response.text()
}

const post = (made: Made, claims: Claims, route: string, body: object) =>
  send(made, claims, route, { method: 'POST', body: JSON.stringify(body) })

const put = (made: Made, claims: Claims, address: string, body: string) =>
  send(made, claims, address, { method: 'PUT', body })

const lua = async (made: Made, claims: Claims, script: string, args: unknown) =>
  JSON.stringify(await made.run(script, { args }, claims))

async function tool(made: Made, claims: Claims, name: string, args: object) {
  return JSON.stringify(await made.call(name, args, { claims }))
}

async function uploadUrl(made: Made, claims: Claims, path: string): Promise<string> {
  const told = await post(made, claims, '/links/upload', { path })
  return (JSON.parse(told) as { url: string }).url
}

/** What a link to the path opens, or the refusal if there is none. */
async function linked(made: Made, claims: Claims, path: string): Promise<string> {
  const told = await post(made, claims, '/links', { path })
  const { link } = JSON.parse(told) as { link?: string }
  return link === undefined ? '' : send(made, {}, link)
}

const read = async (made: Made, claims: Claims, path: string) => {
  const script = 'local f = io.open(args) return f and f:read("a")'
  return (await made.run(script, { args: path }, claims)).result
}

const contentOf = (path: string) => `/fs/content?path=${encodeURIComponent(path)}`
const patchOf = (path: string, text: string) =>
  `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n`
const deletionOf = (path: string) =>
  `--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-${SECRET}\n\\ No newline at end of file\n`

/** Stores a text under another name first. */
async function transferred(
  made: Made,
  claims: Claims,
  operation: 'copy' | 'move',
  path: string,
  content: string,
): Promise<unknown> {
  await post(made, claims, '/fs/write', { path: 'draft', content })
  return post(made, claims, `/fs/${operation}`, { from: 'draft', to: path, force: true })
}

/** Every way to store a text. */
type Store = (made: Made, claims: Claims, path: string, text: string) => Promise<unknown>
const STORES: Record<string, Store> = {
  'io.open': (made, claims, path, text) =>
    lua(made, claims, 'io.open(args[1], "w"):write(args[2]):close()', [path, text]),
  'io.open to append': (made, claims, path, text) =>
    lua(made, claims, 'io.open(args[1], "a"):write(args[2]):close()', [path, text]),
  'os.rename': (made, claims, path, text) =>
    lua(made, claims, 'file.save("t", args[2]) os.rename("t", args[1])', [path, text]),
  'file.save': (made, claims, path, text) =>
    lua(made, claims, 'return file.save(args[1], args[2])', [path, text]),
  '/fs/write': (made, claims, path, content) => post(made, claims, '/fs/write', { path, content }),
  '/fs/append': async (made, claims, path, content) => {
    await post(made, claims, '/fs/delete', { path, force: true })
    return post(made, claims, '/fs/append', { path, content })
  },
  '/fs/copy': (made, claims, path, text) => transferred(made, claims, 'copy', path, text),
  '/fs/move': (made, claims, path, text) => transferred(made, claims, 'move', path, text),
  '/fs/patch': (made, claims, path, text) =>
    post(made, claims, '/fs/patch', { patch: patchOf(path, text) }),
  'PUT /fs/content': (made, claims, path, text) => put(made, claims, contentOf(path), text),
  'an upload link': async (made, claims, path, text) => {
    const url = await uploadUrl(made, claims, path)
    return put(made, {}, url, text)
  },
  file_write: (made, claims, path, content) => tool(made, claims, 'file_write', { path, content }),
  apply_patch: (made, claims, path, text) =>
    tool(made, claims, 'apply_patch', { patch: patchOf(path, text) }),
  file_append: async (made, claims, path, content) => {
    await tool(made, claims, 'file_delete', { path, force: true })
    return tool(made, claims, 'file_append', { path, content })
  },
}

/** Every way to learn of a file, or to do away with it. */
type Look = (made: Made, claims: Claims, path: string) => Promise<unknown>
const LOOKS: Record<string, Look> = {
  'io.open': read,
  'io.lines': (made, claims, path) =>
    lua(made, claims, 'pcall(function() for l in io.lines(args) do print(l) end end)', path),
  'io.list': (made, claims, path) =>
    lua(made, claims, 'return {io.list(), io.list(args:match("^(.*)/"))}', path),
  'os.remove': (made, claims, path) => lua(made, claims, 'os.remove(args)', path),
  'os.rename': (made, claims, path) =>
    lua(made, claims, 'os.rename(args, "stolen") return (io.open("stolen"))', path),
  'a link to the folder': async (made, claims, path) => {
    const folder = path.slice(0, path.lastIndexOf('/'))
    await made.run('file.save(args .. "/own", "")', { args: folder }, claims)
    return linked(made, claims, folder)
  },
  '/fs/read': (made, claims, path) => post(made, claims, '/fs/read', { path }),
  '/fs/document': (made, claims, path) => post(made, claims, '/fs/document', { path }),
  document_read: (made, claims, path) => tool(made, claims, 'document_read', { path }),
  '/fs/list': (made, claims) => post(made, claims, '/fs/list', { recursive: true }),
  '/fs/find': (made, claims) => post(made, claims, '/fs/find', { pattern: '**' }),
  '/fs/search': (made, claims) => post(made, claims, '/fs/search', { pattern: 'owner' }),
  '/fs/copy of the file': async (made, claims, path) => {
    await post(made, claims, '/fs/copy', { from: path, to: 'stolen', force: true })
    return read(made, claims, 'stolen')
  },
  '/fs/move of the folder': async (made, claims, path) => {
    await post(made, claims, '/fs/move', { from: path.split('/')[0], to: 'stolen', force: true })
    return read(made, claims, 'stolen/secret.txt')
  },
  '/fs/exists': (made, claims, path) => post(made, claims, '/fs/exists', { path }),
  '/fs/info': (made, claims, path) => post(made, claims, '/fs/info', { path }),
  '/fs/edit': (made, claims, path) =>
    post(made, claims, '/fs/edit', { path, old: SECRET, new: FORGERY }),
  '/fs/delete': (made, claims, path) =>
    post(made, claims, '/fs/delete', { path, recursive: true, force: true }),
  '/fs/delete of the folder': (made, claims, path) =>
    post(made, claims, '/fs/delete', { path: path.split('/')[0], recursive: true, force: true }),
  'GET /fs/content': (made, claims, path) => send(made, claims, contentOf(path)),
  '/links': linked,
  '/fs/patch': (made, claims, path) => post(made, claims, '/fs/patch', { patch: deletionOf(path) }),
  apply_patch: (made, claims, path) =>
    tool(made, claims, 'apply_patch', { patch: deletionOf(path) }),
  folder_list: (made, claims, path) =>
    tool(made, claims, 'folder_list', { path: path.slice(0, path.lastIndexOf('/')) }),
  file_exists: (made, claims, path) => tool(made, claims, 'file_exists', { path }),
  file_info: (made, claims, path) => tool(made, claims, 'file_info', { path }),
  file_delete: (made, claims, path) =>
    tool(made, claims, 'file_delete', { path, recursive: true, force: true }),
  get_file_link: async (made, claims, path) => {
    const answer = await made.call<{ link?: string }>('get_file_link', { path }, { claims })
    const { link } = answer.structuredContent ?? {}
    return link === undefined ? JSON.stringify(answer) : send(made, {}, link)
  },
  file_read: (made, claims, path) => tool(made, claims, 'file_read', { path }),
  file_edit: (made, claims, path) =>
    tool(made, claims, 'file_edit', { path, old: SECRET, new: FORGERY }),
  file_find: (made, claims) => tool(made, claims, 'file_find', { pattern: '**' }),
  file_search: (made, claims) => tool(made, claims, 'file_search', { pattern: 'owner' }),
  file_copy: async (made, claims, path) => {
    await tool(made, claims, 'file_copy', { from: path, to: 'stolen', force: true })
    return tool(made, claims, 'file_read', { path: 'stolen' })
  },
  file_move: async (made, claims, path) => {
    await tool(made, claims, 'file_move', { from: path, to: 'stolen', force: true })
    return tool(made, claims, 'file_read', { path: 'stolen' })
  },
  'resources/list': async (made, claims) =>
    JSON.stringify((await made.ask('resources/list', {}, { claims })).answer),
  'resources/read': async (made, claims, path) =>
    JSON.stringify(
      (await made.ask('resources/read', { uri: `moonbucket:///${path}` }, { claims })).answer,
    ),
}

/** What of an answer tells that the file is there; its path alone, as it was asked for, does not. */
const tellsOf = (told: string) =>
  /kept by its owner|"secret\.txt"|"name":"folder\/secret|"bytes":17|"exists":true|\/secret\.txt&|>secret\.txt/.exec(
    told,
  )?.[0] ?? null

const VICTIM = 'alice.a'

async function intrudersOn(tenant: string): Promise<Claims[]> {
  const [, ...others] = await callersLike(tenant, VICTIM)
  return others.map(claimsOf)
}

it.each(Object.entries(LOOKS))(
  'the owner of a file, or the rest would prove nothing, sees or changes it by %s',
  async (_, look) => {
    const made = await makeMcp()
    const owner = { tenant: newTenant(), sub: VICTIM }
    const path = 'folder/secret.txt'
    await STORES['/fs/write']!(made, owner, path, SECRET)
    const told = tellsOf(String(await look(made, owner, path)))
    expect(told !== null || (await read(made, owner, path)) !== SECRET).toBe(true)
  },
)

const ALL_STORES = Object.entries(STORES)
const ALL_LOOKS = Object.entries(LOOKS)

it('every operation that takes a path is one of these ways, as a route and as a tool', () => {
  const routes = FILE_OPERATIONS.map(({ name }) => `/fs/${name}`)
  const tools = [...FILE_OPERATIONS, ...PLAIN_OPERATIONS].map((each) => each.tool)
  const ways = new Set([...Object.keys(STORES), ...Object.keys(LOOKS)])
  expect([...routes, ...tools].filter((each) => !ways.has(each))).toEqual([
    // Makes a folder, and reveals nothing of a file.
    '/fs/mkdir',
    'folder_create',
    // Signed by what `an upload link` is made of.
    'get_upload_link',
    // Ends links, and reveals nothing of a file.
    'revoke_links',
    // Stores under a name of the service's own making.
    'save_result_page',
  ])
})

/** Looks as each intruder; which looks, depends on how the file was stored. */
async function assertUnseen(
  made: Made,
  path: string,
  storedBy: number,
  intruders: readonly Claims[],
  assertKept: () => Promise<void>,
): Promise<void> {
  for (const [i, intruder] of intruders.entries()) {
    for (const [j, [name, look]] of ALL_LOOKS.entries()) {
      if (!isAll && (storedBy + i + j) % intruders.length > 0) continue
      const told = tellsOf(String(await look(made, intruder, path)))
      expect([name, intruder, told]).toEqual([name, intruder, null])
    }
    await assertKept()
  }
}

/** Stores as the owner and then looks as everybody else. */
async function assertAlone(storedBy: number, who: Claims): Promise<void> {
  const made = await makeMcp()
  const tenant = newTenant()
  const owner = { ...who, tenant }
  const path = 'folder/secret.txt'
  await ALL_STORES[storedBy]![1](made, owner, path, SECRET)
  const seen = await read(made, owner, path)
  expect(seen).toContain(SECRET)
  const isOwner = (claims: Claims) =>
    claims.tenant === tenant && claims.sub === (who.app_id ?? who.sub)
  const intruders = (await intrudersOn(tenant)).filter((claims) => !isOwner(claims))
  await assertUnseen(made, path, storedBy, intruders, async () =>
    expect(await read(made, owner, path)).toBe(seen),
  )
}

it.each([
  ['nobody in particular', { sub: undefined }],
  ['the companion', { sub: 'someone', app_id: 'companion' }],
])('what is stored by %s is neither seen nor changed by any other, in any way', async (_, who) => {
  await assertAlone(0, who)
})

describe.each(ALL_STORES.map(([name, store], i) => [name, store, i] as const))(
  'what one caller stores by %s',
  (_, store, storedBy) => {
    it('is neither seen nor changed by any other, in any way', async () => {
      await assertAlone(storedBy, { sub: VICTIM })
    })

    it('for its tenant to share is neither seen nor changed by other tenants', async () => {
      const made = await makeMcp()
      const tenant = newTenant()
      const path = 'share/folder/secret.txt'
      await store(made, { tenant, sub: VICTIM }, path, SECRET)
      const assertKept = async () => expect(await read(made, { tenant }, path)).toContain(SECRET)
      await assertKept()
      const strangers = await tenantsLike(tenant)
      const intruders = strangers.map((stranger) => ({ tenant: stranger, sub: VICTIM }))
      await assertUnseen(made, path, storedBy, intruders, assertKept)
    })

    it('is not replaced by what others store under the same name, in any way', async () => {
      const made = await makeMcp()
      const tenant = newTenant()
      const owner = { tenant, sub: VICTIM }
      const path = 'folder/secret.txt'
      await store(made, owner, path, SECRET)
      const intruders = await intrudersOn(tenant)
      for (const [i, overwrite] of Object.values(STORES).entries()) {
        await overwrite(made, intruders[i % intruders.length]!, path, FORGERY)
      }
      expect(String(await read(made, owner, path)).trimEnd()).toBe(SECRET)
    })
  },
)

describe('what one caller was given is of no use to another', () => {
  it.each(['/fs/list', 'folder_list', 'resources/list'])('a cursor of %s', async (way) => {
    const made = await makeMcp()
    const tenant = newTenant()
    const owner = { tenant, sub: VICTIM }
    const script = 'for i = 1, 150 do file.save(("secret%03d"):format(i), "") end'
    await made.run(script, {}, owner)
    const page = async (claims: Claims, cursor?: string) => {
      if (way === '/fs/list') return post(made, claims, way, { limit: 100, cursor })
      if (way === 'folder_list') return tool(made, claims, way, { limit: 100, cursor })
      return JSON.stringify((await made.ask(way, { cursor }, { claims })).answer)
    }
    const [, cursor] = /"(?:cursor|nextCursor)":"([^"]+)"/.exec(await page(owner))!
    expect(await page(owner, cursor)).toContain('secret150')
    for (const intruder of await intrudersOn(tenant)) {
      await made.run('file.save("a", "") file.save("zz", "")', {}, intruder)
      const told = await page(intruder, cursor)
      expect(told).not.toContain('secret')
      // It only says where to go on.
      expect([told.includes('"zz"'), told.includes('"a"')]).toEqual([true, false])
    }
  })

  it('a link opens the file of its maker and no other, for anyone', async () => {
    const made = await makeMcp()
    const tenant = newTenant()
    const store = (claims: Claims, text: string): Promise<Answer> =>
      made.run('file.save("a.txt", args) file.save("b.txt", args)', { args: text }, claims)
    const answer = await store({ tenant, sub: VICTIM }, SECRET)
    const link = answer.files_touched[0]!.link!
    for (const intruder of await intrudersOn(tenant)) {
      await store(intruder, FORGERY)
      expect(await send(made, intruder, link)).toBe(SECRET)
      const other = await send(made, intruder, link.replace('a.txt', 'b.txt'))
      expect(other).toContain('This link is not valid.')
    }
  })

  it('an upload link stores for its maker and nowhere else, for anyone', async () => {
    const made = await makeMcp()
    const tenant = newTenant()
    const owner = { tenant, sub: VICTIM }
    for (const intruder of await intrudersOn(tenant)) {
      const url = await uploadUrl(made, intruder, 'in.txt')
      const elsewhere = url.replace('in.txt', 'share/in.txt')
      expect(await put(made, owner, elsewhere, FORGERY)).toContain('This link is not valid.')
      await put(made, owner, url, FORGERY)
      const texts = [await read(made, owner, 'in.txt'), await read(made, intruder, 'in.txt')]
      expect(texts).toEqual([null, FORGERY])
    }
    expect(await read(made, owner, 'share/in.txt')).toBeNull()
  })
})

it('32 requests at once of different tenants and revisions are each answered with their own', async () => {
  const made = await makeMcp()
  const callers = await callersLike(newTenant(), 'alice.a')
  const asked = Array.from({ length: 32 }, async (_, i) => {
    const caller = callers[i % callers.length]!
    const options = {
      // Nobody calls twice.
      claims: { ...claimsOf(caller), ...(i >= callers.length && { sub: `u${i}` }) },
      revision: REVISIONS[i % 3]!,
      ...(i % 2 === 1 && { progressToken: i }),
    }
    const script = `print("from ${i}") file.save("mine.txt", "${i}")
      for _ = 1, 5 do io.open("mine.txt"):read("a") end
      return {who = ${i}, has = io.list(), read = io.open("mine.txt"):read("a")}`
    const { structuredContent } = await made.call('execute_script', { script }, options)
    const told = await made.call('file_read', { path: 'mine.txt' }, options)
    const { resources } = await made.result<{ resources: { name: string }[] }>(
      'resources/list',
      {},
      options,
    )
    expect(structuredContent).toMatchObject({
      result: { who: i, has: ['mine.txt'], read: String(i) },
      logs: [`from ${i}`],
    })
    expect(told.structuredContent).toMatchObject({ data: { content: String(i) } })
    expect(resources.map(({ name }) => name)).toEqual(['mine.txt'])
  })
  await Promise.all(asked)
  const runs = made.events.filter(({ event }) => event === 'run')
  expect(runs).toHaveLength(32)
  expect(new Set(runs.map(({ request_id }) => request_id)).size).toBe(32)
  expect(made.service.admission.usedBytes).toBe(0)
})
