/** Names chosen to be taken for somebody else's: however a tenant or a user calls itself, it stays alone. */
import { describe, expect, it } from 'vitest'
import { keySegment } from '../../src/files/store/area.ts'
import { FOLDER_NAMES, namesLike, withSegments } from '../support/alike-callers.ts'
import { makeApp } from '../support/make-app.ts'

/** Stores outlive tests. */
const hostileNames = () => withSegments(namesLike(`acme${crypto.randomUUID().slice(0, 8)}`))

const WRITE = 'io.open(args.path, "w"):write(args.text):close()'
const LOOK = `
  local found = {own = io.open("x"):read("a"), files = {}}
  for _, folder in ipairs{".", "share"} do
    found.files[#found.files + 1] = table.concat(io.list(folder) or {}, " ")
  end
  return found`

it('users of one tenant are alone in their areas, however they are called', async () => {
  const { run, textsUnder } = await makeApp()
  const users = [...(await hostileNames()), ...FOLDER_NAMES].filter(
    // That one is an app.
    (name) => name !== 'companion',
  )
  for (const sub of users) await run(WRITE, { args: { path: 'x', text: sub } }, { sub })
  for (const sub of users) {
    const { result } = await run(LOOK, {}, { sub })
    expect(result).toEqual({ own: sub, files: ['x', ''] })
  }
  const keys = Object.keys(await textsUnder())
  expect(keys).toHaveLength(users.length)
  for (const key of keys) expect(key).toMatch(/^t-[0-9a-f-]{36}\/users\/[A-Za-z0-9_-]{1,64}\/x$/)
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
    for (const tenant of FOLDER_NAMES)
      await run(WRITE, { args: { path, text: tenant } }, { tenant })
    for (const tenant of FOLDER_NAMES) {
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
