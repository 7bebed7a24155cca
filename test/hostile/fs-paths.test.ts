/** No operation on files leads out of the caller's area, whatever its input says. */
import { describe, expect, it } from 'vitest'
import type { Claims } from '../support/make-app.ts'
import { LONE_SURROGATES } from '../support/bad-paths.ts'
import { postTo } from '../support/call-route.ts'
import { makeFs } from '../support/make-fs.ts'
import { PATH_INPUTS } from './path-inputs.ts'

/** Those of files alone. */
const CALLS = Object.fromEntries(
  Object.entries(PATH_INPUTS).filter(([name]) => !name.startsWith('links')),
)

describe.each(Object.entries(CALLS))('%s', (operation, [inputOf, kind]) => {
  it.each<[string, Record<string, string>, Claims]>([
    ['the token’s paths', {}, { paths: ['out', 'share/team'] }],
    ['ALLOWED_PATHS', { ALLOWED_PATHS: 'out,share/team' }, {}],
    ['both', { ALLOWED_PATHS: 'out,share/team,in' }, { paths: ['out', 'share/team', 'other'] }],
  ])('keeps to %s', async (_, env, claims) => {
    const { ask, refusal, storage, tenant } = await makeFs({ env })
    const bytes = new TextEncoder().encode('x')
    for (const key of ['in/f', 'output/f', 'f'])
      await storage.put(`${tenant}/users/alice/${key}`, bytes)
    for (const path of [
      'f',
      'in/f',
      'output/f',
      'other/f',
      'share/f',
      'SHARE/teams',
      'in',
      'share',
    ]) {
      const told = await refusal(operation, inputOf(path), claims)
      expect([path, told]).toEqual([path, [400, 'path is not allowed']])
    }
    for (const [path, folder] of [
      ['users/alice/out/f', 'out'],
      ['share/team/f', 'Share/team'],
    ] as const) {
      await storage.put(`${tenant}/${path}`, bytes)
      const own = kind === 'folder' ? folder : `${folder}/f`
      const status = operation === 'mkdir' ? 409 : 200
      expect((await ask(operation, inputOf(own), claims)).status).toBe(status)
    }
  })
})

it.each(LONE_SURROGATES)('a path that is no text is refused: %j', async (path, message) => {
  const { refusal, stored } = await makeFs()
  for (const [operation, [inputOf]] of Object.entries(CALLS)) {
    const told = await refusal(operation, inputOf(path))
    expect([operation, ...told]).toEqual([operation, 400, message])
  }
  expect(await stored()).toEqual({})
})

describe('patch', () => {
  const patchOf = (path: string) => `--- /dev/null\n+++ ${path}\n@@ -0,0 +1 @@\n+x\n`

  it.each(['b/../../bob/x', '../bob/x', '"b/\\056\\056/x"', '"b/a\\000b"', '/etc/passwd', 'b/'])(
    'refuses the name %j',
    async (name) => {
      const { refusal, stored } = await makeFs()
      expect((await refusal('patch', { patch: patchOf(name) }))[0]).toBe(400)
      expect(await stored()).toEqual({})
    },
  )

  it('keeps to the token’s paths, for all of its files', async () => {
    const { refusal, fs, stored } = await makeFs()
    const claims = { paths: ['out'] }
    const patch = patchOf('b/out/a') + patchOf('b/in/a')
    expect(await refusal('patch', { patch }, claims)).toEqual([400, 'path is not allowed'])
    expect(await stored()).toEqual({})
    await fs('patch', { patch: patchOf('b/out/a') }, claims)
    expect(await stored()).toEqual({ 'users/alice/out/a': 'x\n' })
  })
})

it('/fs/content keeps to the token’s paths', async () => {
  const { content } = await makeFs()
  await content('a', { method: 'PUT', body: 'x' })
  expect((await content('a', {}, { paths: ['b'] })).status).toBe(400)
})

describe('the shared folder', () => {
  const bob = { sub: 'bob' }

  it.each([{ sub: 'bob' }, { sub: undefined }, { sub: 'companion' }])(
    'is read and changed by %j',
    async (claims) => {
      const { fs } = await makeFs()
      await fs('write', { path: 'Share/x.txt', content: 'of alice' })
      expect(await fs('read', { path: 'SHARE//x.txt' }, claims)).toMatchObject({
        content: 'of alice',
      })
      await fs('edit', { path: 'share/x.txt', old: 'alice', new: 'others' }, claims)
      expect(await fs('read', { path: 'share/x.txt' })).toMatchObject({ content: 'of others' })
      await fs('delete', { path: 'share', recursive: true }, claims)
      expect(await fs('exists', { path: 'share/x.txt' })).toEqual({ exists: false, type: null })
    },
  )

  it('is listed in the root when something is in it, under paths that can be used', async () => {
    const { fs } = await makeFs()
    const paths = async (operation: string, input: object) => {
      const { entries } = await fs<{ entries: { path: string }[] }>(operation, input, bob)
      return entries.map(({ path }) => path)
    }
    expect(await paths('list', {})).toEqual([])
    await fs('write', { path: 'share/d/x', content: '' })
    expect(await paths('list', {})).toEqual(['share'])
    expect(await paths('list', { recursive: true })).toEqual(['share', 'share/d', 'share/d/x'])
    expect(await paths('list', { path: 'SHARE/d' })).toEqual(['share/d/x'])
    expect(await paths('find', { pattern: '**/x' })).toEqual(['share/d/x'])
    expect(await paths('find', { pattern: 'sh*' })).toEqual(['share'])
  })

  it('hides what an own folder of its name holds', async () => {
    const { fs, storage, tenant } = await makeFs()
    await storage.put(`${tenant}/users/alice/share/old`, new Uint8Array())
    await storage.put(`${tenant}/users/alice/Share/old`, new Uint8Array())
    expect(await fs('list', { recursive: true })).toMatchObject({ entries: [] })
  })
})

it.each([
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>.html',
  '{{7*7}} ${x} %2e%2e%2fx',
  "'; DROP TABLE files; --",
  'a?b#c&d=e;f',
  ' leading and trailing ',
  '__proto__',
  'constructor',
  '...',
  '*',
  '[a]',
])('names that look like something else are only names: %s', async (name) => {
  const { fs, content, app, stored } = await makeFs()
  const path = `d/${name.replaceAll('/', '_')}`
  const { link } = await fs<{ link: string }>('write', { path, content: 'x' })
  expect(await stored()).toEqual({ [`users/alice/${path}`]: 'x' })
  expect(await fs('read', { path })).toMatchObject({ content: 'x' })
  const { entries } = await fs<{ entries: { path: string }[] }>('list', { path: 'd' })
  expect(entries.map((entry) => entry.path)).toEqual([path])
  expect(await (await content(path)).text()).toBe('x')
  expect(await (await app.request(link)).text()).toBe('x')
  expect(await fs('delete', { path })).toEqual({ path, deleted: 1 })
})

describe('a token for paths that name no folder', () => {
  const ROOTS = [[], '', '/', '.', './', [''], ['/'], ['.'], ['./'], ['//', '/./', './/.']]

  it.each(ROOTS.map((paths) => [paths]))('is refused everywhere: %j', async (paths) => {
    const made = await makeFs()
    await made.fs('write', { path: 'secret.txt', content: 'secret' })
    const message = 'The token allows no path.'
    expect(await made.refusal('read', { path: 'secret.txt' }, { paths })).toEqual([403, message])
    expect((await made.content('secret.txt', {}, { paths })).status).toBe(403)
    expect((await postTo(made, 'links', { path: '.' }, { paths })).status).toBe(403)
    const run = made.run('return io.open("secret.txt"):read("a")', {}, { paths })
    await expect(run).rejects.toThrow(message)
  })

  it.each(['/', '.', './', ''])('does not get everything from %j beside a folder', async (root) => {
    const { fs, refusal } = await makeFs()
    await fs('write', { path: 'secret.txt', content: 'secret' })
    await fs('write', { path: 'out/a', content: 'own' })
    const claims = { paths: [root, 'out'] }
    expect(await refusal('read', { path: 'secret.txt' }, claims)).toEqual([
      400,
      'path is not allowed',
    ])
    expect(await fs('read', { path: 'out/a' }, claims)).toMatchObject({ content: 'own' })
  })
})
