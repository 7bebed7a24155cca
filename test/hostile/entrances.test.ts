/** Every place where a path enters the service, against every hostile spelling: all go through one gate. */
import { describe, expect, it } from 'vitest'
import type { AreaOwner } from '../../src/files/store/area.ts'
import type { FolderPath } from '../../src/files/path.ts'
import { signLink, type LinkPurpose } from '../../src/links/link-token.ts'
import { newNonce, writeTerms } from '../../src/links/upload-terms.ts'
import { FILE_OPERATIONS, PLAIN_OPERATIONS } from '../support/operations.ts'
import { makeMcp } from '../mcp/make-mcp.ts'
import {
  BAD_PATHS,
  FOLDERS,
  NOTHING,
  ODD_PATHS,
  TRAVERSAL,
  type BadPath,
} from '../support/bad-paths.ts'
import { LINK_SECRET, ORIGIN } from '../support/make-app.ts'
import { onePer } from '../support/tier.ts'
import { makeApiApp } from './api-app.ts'
import { PATH_INPUTS, type PathKind } from './path-inputs.ts'

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
  const isUpload = purpose === 'put' || purpose === 'drop'
  const terms = isUpload ? writeTerms({ nonce: newNonce(), maxBytes: 9, maxFiles: 1 }) : undefined
  const claims = { purpose, owner, path: path as FolderPath, expiresAt, issuedAt, terms }
  const token = await signLink([LINK_SECRET], claims)
  const route = isUpload ? 'in' : 'out'
  return send(made, `/files/${route}?path=${encodeURIComponent(path)}&token=${token}`, init)
}

async function callTool(made: Made, name: string, args: object): Promise<string> {
  const answer = await made.call(name, args)
  expect(answer.isError).toBe(true)
  return JSON.stringify(answer)
}

const patchOf = (path: string) => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`
const deletionOf = (path: string) => `--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-of bob\n`

/** Where only a file can be meant. */
const FOR_FILES: Record<string, Entrance> = {
  'a script': (made, path) => lua(made, path, 'io.open(path, "w"):write("x"):close()'),

  ...operationsFor('file'),
  'GET /fs/content': (made, path) => send(made, `/fs/content?path=${encodeURIComponent(path)}`),
  'PUT /fs/content': (made, path) =>
    send(made, `/fs/content?path=${encodeURIComponent(path)}`, { method: 'PUT', body: 'x' }),
  'resources/read': (made, path) => resource(made, encodeURIComponent(path)),
  'resources/read, not encoded': resource,

  'sdk save_to': (made, path) =>
    sdk(made, path, 'sdk.things.get_thing({ id = "x" }, { save_to = args })'),
  'sdk save_to of a page': (made, path) =>
    sdk(
      made,
      path,
      'for p in sdk.pages(sdk.things.get_thing, { id = "x" }, { save_to = args }) do end',
    ),
}

/** In a diff a tab or a line end ends a name: such paths would make another diff. */
const PATCHES: Record<string, Entrance> = {
  '/fs/patch that creates': (made, path) => post(made, '/fs/patch', { patch: patchOf(path) }),
  '/fs/patch that deletes': (made, path) => post(made, '/fs/patch', { patch: deletionOf(path) }),
  apply_patch: (made, path) => callTool(made, 'apply_patch', { patch: patchOf(path) }),
}

/** Where it may be a folder. */
const FOR_BOTH: Record<string, Entrance> = {
  ...operationsFor('any'),
  '/files/in of a file': (made, path) => linked(made, path, 'put', { method: 'PUT', body: 'x' }),
}

/** Where it may be a folder, and the root if it is left out. */
const FOR_FOLDERS: Record<string, Entrance> = {
  ...operationsFor('folder'),
  '/files/out of a file': (made, path) => linked(made, path, 'get'),
  '/files/out of a folder': (made, path) => linked(made, `${path}/`, 'list'),
  '/files/in of a folder': (made, path) =>
    linked(made, `${path}/`, 'drop', { method: 'PUT', body: 'x' }),
}

/** Each operation that takes such a path, as a route and as a tool. */
function operationsFor(wanted: PathKind): Record<string, Entrance> {
  const entrances: Record<string, Entrance> = {}
  for (const { name, route, tool } of [...FILE_OPERATIONS, ...PLAIN_OPERATIONS]) {
    const [inputOf, kind] = PATH_INPUTS[name] ?? []
    if (!inputOf || kind !== wanted) continue
    const address = route!.slice('POST '.length)
    entrances[address] = (made, path) => post(made, address, inputOf(path))
    entrances[tool] = (made, path) => callTool(made, tool, inputOf(path))
  }
  return entrances
}

async function resource(made: Made, path: string): Promise<string> {
  const { answer } = await made.ask('resources/read', { uri: `moonbucket:///${path}` })
  expect(answer.result).toBeUndefined()
  return JSON.stringify(answer.error)
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
const ENTRANCES = { ...FOR_FILES, ...PATCHES, ...FOR_BOTH, ...FOR_FOLDERS }

function badPathsAt(name: string, tenant: string): readonly BadPath[] {
  const rows: readonly BadPath[] = [
    ...BAD_PATHS,
    // Whose own keys an attacker may guess.
    [`share/../../${tenant}/users/bob/x`, TRAVERSAL],
    [`/${tenant}/users/bob/x`, 'path must be relative'],
    ...(name in FOR_FILES ? FOLDERS : []),
    ...(name in FOR_FILES || name in FOR_BOTH ? [NOTHING] : []),
  ]
  const possible = name in PATCHES ? rows.filter(([path]) => !/[\r\n\t]/.test(path)) : rows
  return onePer(possible, ([, message]) => message)
}

describe.each(Object.entries(ENTRANCES))('%s', (name, enter) => {
  it('refuses every spelling that leads out, tells nothing and changes nothing', async () => {
    const made = await makeNeighbours()
    const before = await made.textsUnder()
    for (const [path, message] of badPathsAt(name, made.tenant)) {
      const told = await enter(made, path)
      const shown = path.slice(0, 80)
      expect([shown, told]).toEqual([shown, expect.stringContaining(message)])
      expect(told).not.toContain('of bob')
    }
    expect(await made.textsUnder()).toEqual(before)
  })
})

it('every operation is an entrance above, as a route and as a tool', () => {
  const routes = FILE_OPERATIONS.map(({ name }) => `/fs/${name}`)
  const all = [...routes, '/links', '/links/upload', ...OPERATIONS.map((each) => each.tool)]
  const entrances = Object.keys(ENTRANCES)
  const isTried = (wanted: string) => entrances.some((name) => name.split(' ')[0] === wanted)
  // A report has a name of the service's own making.
  expect(all.filter((each) => !isTried(each))).toEqual(['save_result_page'])
})

it('what only looks like a way out is a name like any other, at every entrance', async () => {
  const made = await makeMcp()
  for (const [written, path] of ODD_PATHS) {
    await made.call('file_write', { path: written, content: `of ${path}` })
    const { result } = await made.run('return io.open(args):read("a")', { args: written })
    const content = await made.app.request(
      `${ORIGIN}/fs/content?path=${encodeURIComponent(written)}`,
      { headers: { Authorization: `Bearer ${await made.tokenOf()}` } },
    )
    expect([result, await content.text()]).toEqual([`of ${path}`, `of ${path}`])
  }
  const keys = Object.keys(await made.textsUnder())
  const own = `${made.tenant}/users/alice/`
  const paths = ODD_PATHS.map(([, path]) => path)
  expect(keys.map((key) => key.slice(own.length)).sort()).toEqual([...paths].sort())
})
