/** Every place where a path enters the service, against every hostile spelling: all go through one gate. */
import { describe, expect, it } from 'vitest'
import type { AreaOwner } from '../../src/files/area.ts'
import type { FolderPath } from '../../src/files/path.ts'
import { signLink, type LinkPurpose } from '../../src/links/link-token.ts'
import { newNonce, writeTerms } from '../../src/links/upload-terms.ts'
import { FILE_OPERATIONS, PLAIN_OPERATIONS } from '../../src/operations/file-operations.ts'
import { makeMcp } from '../mcp/make-mcp.ts'
import { LINK_SECRET, ORIGIN } from '../support/make-app.ts'
import { makeApiApp } from './api-app.ts'

/** `%s` is the tenant, whose own keys an attacker may guess. */
const SPELLINGS = [
  '..',
  '../',
  '../x',
  '../../x',
  './../x',
  'a/..',
  'a/../../bob/x',
  'a/./../../bob/x',
  'share/..',
  'share/../users/bob/x',
  'share/../../%s/users/bob/x',
  '/',
  '//',
  '/x',
  '/%s/users/bob/x',
  '/etc/passwd',
  '//host/share/x',
  '..\\x',
  '..\\..\\users\\bob\\x',
  'C:\\x',
  '\\\\host\\x',
  'a\0',
  '\0',
  '../\0x',
  'x\0/../../bob/x',
  'a\n../x',
  'a\r\nX: y',
  'a\u007f',
  'a\u0085b',
  'x'.repeat(513),
  `${'a/'.repeat(300)}x`,
  'x/'.repeat(40_000),
] as const

const REFUSAL =
  /path (?:cannot be empty|cannot contain null bytes|must be relative|cannot contain '\.\.' traversal|is not valid: [^"\n]+)/

type Made = Awaited<ReturnType<typeof makeMcp>>

/** Sends a path in; gives all that comes back. */
type Entrance = (made: Made, path: string) => Promise<string>

async function lua(made: Made, path: string, call: string): Promise<string> {
  const script = `local ok, told = pcall(function() local path = args ${call} end) return told`
  const answer = await made.run(script, { args: path })
  expect(answer.files_touched).toEqual([])
  return JSON.stringify(answer)
}

async function send(made: Made, address: string, init: RequestInit = {}): Promise<string> {
  const headers = { Authorization: `Bearer ${await made.tokenOf()}` }
  const response = await made.app.request(`${ORIGIN}${address}`, { ...init, headers })
  expect(response.status).toBe(400)
  return response.text()
}

const post = (made: Made, route: string, body: object) =>
  send(made, route, { method: 'POST', body: JSON.stringify(body) })

/** With a token that is genuine for just this path: the signature alone does not open a way out. */
async function linked(made: Made, path: string, purpose: LinkPurpose, init?: RequestInit) {
  const owner: AreaOwner = { tenant: made.tenant, kind: 'user', user: 'alice' }
  const issuedAt = new Date()
  const expiresAt = new Date(issuedAt.getTime() + 60_000)
  const terms = purpose === 'put' ? writeTerms({ nonce: newNonce(), maxBytes: 9 }) : undefined
  const claims = { purpose, owner, path: path as FolderPath, expiresAt, issuedAt, terms }
  const token = await signLink([LINK_SECRET], claims)
  const route = purpose === 'put' ? 'in' : 'out'
  return send(made, `/files/${route}?path=${encodeURIComponent(path)}&token=${token}`, init)
}

async function tool(made: Made, name: string, args: object): Promise<string> {
  const answer = await made.call(name, args)
  expect(answer.isError).toBe(true)
  return JSON.stringify(answer)
}

const patchOf = (path: string) => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`
const deletionOf = (path: string) => `--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-of bob\n`

const ENTRANCES: Record<string, Entrance> = {
  'io.open to read': (made, path) => lua(made, path, 'assert(io.open(path)):read("a")'),
  'io.open to write': (made, path) => lua(made, path, 'io.open(path, "w"):write("x"):close()'),
  'io.open to append': (made, path) => lua(made, path, 'io.open(path, "a"):write("x"):close()'),
  'io.open to change': (made, path) => lua(made, path, 'io.open(path, "r+"):write("x"):close()'),
  'io.lines': (made, path) => lua(made, path, 'for l in io.lines(path) do print(l) end'),
  'io.list': (made, path) => lua(made, path, 'for _, n in ipairs(io.list(path)) do print(n) end'),
  'os.remove': (made, path) => lua(made, path, 'assert(os.remove(path))'),
  'os.rename from': (made, path) => lua(made, path, 'assert(os.rename(path, "mine"))'),
  'os.rename to': (made, path) => lua(made, path, 'assert(os.rename("mine.txt", path))'),
  'file.save': (made, path) => lua(made, path, 'file.save(path, "x")'),

  '/fs/read': (made, path) => post(made, '/fs/read', { path }),
  '/fs/write': (made, path) => post(made, '/fs/write', { path, content: 'x' }),
  '/fs/list': (made, path) => post(made, '/fs/list', { path, recursive: true }),
  '/fs/mkdir': (made, path) => post(made, '/fs/mkdir', { path, recursive: true }),
  '/fs/delete': (made, path) => post(made, '/fs/delete', { path, recursive: true, force: true }),
  '/fs/exists': (made, path) => post(made, '/fs/exists', { path }),
  '/fs/info': (made, path) => post(made, '/fs/info', { path }),
  '/fs/edit': (made, path) => post(made, '/fs/edit', { path, old: 'of', new: 'x' }),
  '/fs/find': (made, path) => post(made, '/fs/find', { path, pattern: '**' }),
  'GET /fs/content': (made, path) => send(made, `/fs/content?path=${encodeURIComponent(path)}`),
  'PUT /fs/content': (made, path) =>
    send(made, `/fs/content?path=${encodeURIComponent(path)}`, { method: 'PUT', body: 'x' }),
  '/links': (made, path) => post(made, '/links', { path }),
  '/links/upload': (made, path) => post(made, '/links/upload', { path }),

  '/files/out of a file': (made, path) => linked(made, path, 'get'),
  '/files/out of a folder': (made, path) => linked(made, `${path}/`, 'list'),
  '/files/in': (made, path) => linked(made, path, 'put', { method: 'PUT', body: 'x' }),

  file_read: (made, path) => tool(made, 'file_read', { path }),
  file_write: (made, path) => tool(made, 'file_write', { path, content: 'x' }),
  folder_list: (made, path) => tool(made, 'folder_list', { path }),
  folder_create: (made, path) => tool(made, 'folder_create', { path, recursive: true }),
  file_delete: (made, path) => tool(made, 'file_delete', { path, recursive: true, force: true }),
  file_exists: (made, path) => tool(made, 'file_exists', { path }),
  file_info: (made, path) => tool(made, 'file_info', { path }),
  file_edit: (made, path) => tool(made, 'file_edit', { path, old: 'of', new: 'x' }),
  file_find: (made, path) => tool(made, 'file_find', { path, pattern: '**' }),
  get_file_link: (made, path) => tool(made, 'get_file_link', { path }),
  get_upload_link: (made, path) => tool(made, 'get_upload_link', { path }),
  'resources/read': async (made, path) => {
    const { answer } = await made.ask('resources/read', {
      uri: `moonbucket:///${encodeURIComponent(path)}`,
    })
    expect(answer.result).toBeUndefined()
    return JSON.stringify(answer.error)
  },
  'resources/read, not encoded': async (made, path) => {
    const { answer } = await made.ask('resources/read', { uri: `moonbucket:///${path}` })
    expect(answer.result).toBeUndefined()
    return JSON.stringify(answer.error)
  },

  'sdk save_to': (made, path) =>
    sdk(made, path, 'sdk.things.get_thing({ id = "x" }, { save_to = args })'),
  'sdk save_to of a page': (made, path) =>
    sdk(
      made,
      path,
      'for p in sdk.pages(sdk.things.get_thing, { id = "x" }, { save_to = args }) do end',
    ),
}

/** A diff has a line for each name, so names with line ends are other diffs. */
const PATCHES: Record<string, Entrance> = {
  '/fs/patch that creates': (made, path) => post(made, '/fs/patch', { patch: patchOf(path) }),
  '/fs/patch that deletes': (made, path) => post(made, '/fs/patch', { patch: deletionOf(path) }),
  apply_patch: (made, path) => tool(made, 'apply_patch', { patch: patchOf(path) }),
}

/** Another app on the same store, with an API to call. */
async function sdk(made: Made, path: string, call: string): Promise<string> {
  const { run } = await makeApiApp(() => Response.json(['of an API']), { storage: made.storage })
  const answer = await run(`return select(2, pcall(function() ${call} end))`, { args: path })
  expect(answer.files_touched).toEqual([])
  return JSON.stringify(answer)
}

async function makeNeighbours() {
  const made = await makeMcp()
  const bytes = new TextEncoder().encode('of bob')
  for (const key of ['users/bob/x', 'x', 'share/../x', 'users/alice/../x', 'used-links/x']) {
    // Stores that know such keys have them as they are; most refuse them.
    await made.storage.put(`${made.tenant}/${key}`, bytes).catch(() => undefined)
  }
  await made.storage.put(`${made.tenant}/users/alice/mine.txt`, bytes.slice(0, 2))
  return made
}

const OPERATIONS = [...FILE_OPERATIONS, ...PLAIN_OPERATIONS]

const isLine = (path: string) => !/[\r\n]/.test(path)

describe.each(Object.entries({ ...ENTRANCES, ...PATCHES }))('%s', (name, enter) => {
  const spellings = name in PATCHES ? SPELLINGS.filter(isLine) : SPELLINGS

  it('refuses every spelling that leads out, tells nothing and changes nothing', async () => {
    const made = await makeNeighbours()
    const before = await made.textsUnder()
    for (const spelling of spellings) {
      const path = spelling.replaceAll('%s', made.tenant)
      const told = await enter(made, path)
      expect([path.slice(0, 80), told]).toEqual([path.slice(0, 80), expect.stringMatching(REFUSAL)])
      expect(told).not.toContain('of bob')
    }
    expect(await made.textsUnder()).toEqual(before)
  })
})

it('every operation is an entrance above, as a route and as a tool', () => {
  const routes = FILE_OPERATIONS.map(({ name }) => `/fs/${name}`)
  const all = [...routes, '/links', '/links/upload', ...OPERATIONS.map((each) => each.tool)]
  const entrances = Object.keys({ ...ENTRANCES, ...PATCHES })
  const isTried = (wanted: string) => entrances.some((name) => name.split(' ')[0] === wanted)
  // A report has a name of the service's own making.
  expect(all.filter((each) => !isTried(each))).toEqual(['save_result_page'])
})

it('what only looks like a way out is a name like any other, at every entrance', async () => {
  const made = await makeMcp()
  const names = ['%2e%2e/x', '..%2fx', '%2e%2e%2fx', '．．/x', '․․/x', '..\u200b/x', '...', '~/x']
  for (const path of names) {
    await made.call('file_write', { path, content: path })
    const { result } = await made.run('return io.open(args):read("a")', { args: path })
    const content = await made.app.request(
      `${ORIGIN}/fs/content?path=${encodeURIComponent(path)}`,
      { headers: { Authorization: `Bearer ${await made.tokenOf()}` } },
    )
    expect([result, await content.text()]).toEqual([path, path])
  }
  const keys = Object.keys(await made.textsUnder())
  const own = `${made.tenant}/users/alice/`
  expect(keys.map((key) => key.slice(own.length)).sort()).toEqual([...names].sort())
})
