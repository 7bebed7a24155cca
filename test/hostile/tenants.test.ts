/** Names chosen to be taken for somebody else's: however a tenant or a user calls itself, it stays alone. */
import { describe, expect, it } from 'vitest'
import { keySegment } from '../../src/files/key-segment.ts'
import { makeApp, type Answer } from '../support/make-app.ts'

/** `%s` is where a test puts something of its own, because stores outlive tests. */
const HOSTILE_NAMES = [
  'acme%s',
  'acme%s2',
  'Acme%s',
  'acme%s/',
  'acme%s/users',
  'acme%s/users/alice',
  '../acme%s',
  './acme%s',
  '/acme%s',
  'acme%s/..',
  'acme%s\0',
  'acme%s\n',
  'acme%s ',
  ' acme%s',
  'acme%s.b',
  'acme%s_b',
  'acme%s-b',
  'acme%s--b',
  'acme%s_--b',
  'acme%s\\b',
  'acme%s%2Fb',
  '\u00e9%s',
  'e\u0301%s',
  '\u0430cme%s',
  '\uff41cme%s',
  '\ufeffacme%s',
  'acme%s\u200b',
  '%s'.padEnd(64, 'x'),
  '%s'.padEnd(65, 'x'),
  '%s'.padEnd(66, 'x'),
  '%s'.padEnd(256, 'x'),
]

/** The names, and for each the segment it becomes: whoever is called that must be somebody else again. */
async function hostileNames(): Promise<string[]> {
  const own = crypto.randomUUID().slice(0, 8)
  const names = HOSTILE_NAMES.map((name) => {
    const { length } = name
    const filled = name.replace('%s', own)
    return length >= 64 ? filled.slice(0, length) : filled
  })
  return [...new Set([...names, ...(await Promise.all(names.map(keySegment)))])]
}

const WRITE = 'io.open(args.path, "w"):write(args.text):close()'
const LOOK = `
  local found = {own = io.open("x"):read("a"), files = {}}
  for _, folder in ipairs{".", "share"} do
    found.files[#found.files + 1] = table.concat(io.list(folder) or {}, " ")
  end
  return found`

describe('users of one tenant', () => {
  it('are alone in their areas, however they are called', async () => {
    const { run, textsUnder } = await makeApp()
    const users = [...(await hostileNames()), 'users', 'share', 'default', '..', '.', '/', '\0']
    for (const sub of users) await run(WRITE, { args: { path: 'x', text: sub } }, { sub })
    for (const sub of users) {
      const { result } = await run(LOOK, {}, { sub })
      expect(result).toEqual({ own: sub, files: ['x', ''] })
    }
    const keys = Object.keys(await textsUnder())
    expect(keys).toHaveLength(users.length)
    for (const key of keys) expect(key).toMatch(/^t-[0-9a-f-]{36}\/users\/[A-Za-z0-9_-]{1,64}\/x$/)
  })

  it('that share a name with an area are not in it', async () => {
    const { run, textsUnder, tenant } = await makeApp()
    const callers: [string, string | undefined][] = [
      ['has no name', undefined],
      ['has an empty name', ''],
      ['is called default', 'default'],
      ['is called share', 'share'],
      ['is called users', 'users'],
      ['is called companion', 'companion'],
    ]
    for (const [path, sub] of callers) await run(WRITE, { args: { path, text: '' } }, { sub })
    expect(Object.keys(await textsUnder())).toEqual([
      `${tenant}/companion/is called companion`,
      `${tenant}/default/has an empty name`,
      `${tenant}/default/has no name`,
      `${tenant}/users/default/is called default`,
      `${tenant}/users/share/is called share`,
      `${tenant}/users/users/is called users`,
    ])
  })
})

describe('tenants', () => {
  it('are alone, in what they keep and in what they share, however they are called', async () => {
    const { run } = await makeApp()
    const tenants = await hostileNames()
    for (const tenant of tenants) {
      await run(WRITE, { args: { path: 'x', text: tenant } }, { tenant })
      await run(WRITE, { args: { path: 'share/y', text: tenant } }, { tenant })
    }
    for (const tenant of tenants) {
      const { result } = await run(LOOK, {}, { tenant })
      expect(result).toEqual({ own: tenant, files: ['share x', 'y'] })
      const shared = await run('return io.open("share/y"):read("a")', {}, { tenant, sub: 'bob' })
      expect(shared.result).toBe(tenant)
    }
  })

  it('called after folders of the layout are like any other', async () => {
    const { run, storage } = await makeApp()
    const path = crypto.randomUUID()
    const tenants = ['share', 'users', 'default', 'companion', 'alice', '..', '.', '/']
    for (const tenant of tenants) await run(WRITE, { args: { path, text: tenant } }, { tenant })
    for (const tenant of tenants) {
      const { result } = await run('return io.open(args):read("a")', { args: path }, { tenant })
      expect(result).toBe(tenant)
      const object = await storage.head(`${await keySegment(tenant)}/users/alice/${path}`)
      expect(object?.bytes).toBe(tenant.length)
    }
  })

  it.each([undefined, '', null, 7, ['acme'], { name: 'acme' }, 'x'.repeat(257), '\ud800'])(
    'are not called %j',
    async (tenant) => {
      const { post, tokenOf, storage } = await makeApp()
      const authorization = `Bearer ${await tokenOf({ tenant })}`
      const path = crypto.randomUUID()
      const body = { script: WRITE, args: { path: `share/${path}`, text: '' } }
      expect((await post(body, { Authorization: authorization })).status).toBe(403)
      for await (const entry of storage.list('')) {
        expect(entry.kind === 'object' && entry.object.key).not.toContain(path)
      }
    },
  )

  it('have links that open their own files only', async () => {
    const { app, run } = await makeApp()
    const own = crypto.randomUUID()
    const callers = [
      { tenant: `acme${own}`, sub: 'alice' },
      { tenant: `acme${own}2`, sub: 'alice' },
      { tenant: `acme${own}`, sub: '2alice' },
      { tenant: `acme${own}a`, sub: 'lice' },
      { tenant: `acme${own}`, sub: undefined },
      { tenant: `acme${own}`, sub: 'companion' },
    ]
    const links: string[] = []
    for (const [i, claims] of callers.entries()) {
      const answer: Answer = await run(WRITE, { args: { path: 'x.txt', text: String(i) } }, claims)
      links.push(answer.files_touched[0]!.link!)
    }
    const opened = links.map(async (link) => (await app.request(link)).text())
    expect(await Promise.all(opened)).toEqual(callers.map((_, i) => String(i)))
  })

  it('cannot reach each other by any path', async () => {
    const { run, tenant } = await makeApp()
    await run(WRITE, { args: { path: 'x', text: 'secret' } })
    await run(WRITE, { args: { path: 'share/x', text: 'secret' } })
    const paths = [
      'x',
      'share/x',
      `../${tenant}/users/alice/x`,
      `../../${tenant}/users/alice/x`,
      `share/../../${tenant}/users/alice/x`,
      `share/../users/alice/x`,
      `/${tenant}/users/alice/x`,
      `${tenant}/users/alice/x`,
      `share/${tenant}/share/x`,
      `users/alice/x`,
      `..\\${tenant}\\users\\alice\\x`,
      `share/..%2f..%2f${tenant}/users/alice/x`,
      `share/\u2025/${tenant}/x`,
      `share/\uff0e\uff0e/${tenant}/x`,
    ]
    const { result } = await run(
      `local reached = json.array{}
       for _, path in ipairs(args) do
         local ok, f = pcall(io.open, path)
         if ok and f then reached[#reached + 1] = path end
         local ok, names = pcall(io.list, path:match("^(.*)/") or path)
         if ok and names and #names > 0 then reached[#reached + 1] = path end
       end
       return reached`,
      { args: paths },
      { tenant: `${tenant}2` },
    )
    expect(result).toEqual([])
  })
})
