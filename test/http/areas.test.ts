/** Who sees which files: every caller its own, and one folder all callers of a tenant. */
import { describe, expect, it } from 'vitest'
import { refusalOf } from '../support/call-route.ts'
import { makeApp, type Claims } from '../support/make-app.ts'

const WRITE = `
  local f = assert(io.open(args.path, "w"))
  f:write(args.text or "x")
  f:close()
  return true`
const READ = `
  local f, message = io.open(args.path)
  return f and f:read("a") or message`
const LIST = 'return json.array(io.list(args.path) or {"missing"})'

/** Short forms for what the tests do over and over. */
async function makeCallers() {
  const made = await makeApp()
  const { run, stored } = made
  return {
    ...made,
    write: (path: string, text: string, claims?: Claims) =>
      run(WRITE, { args: { path, text } }, claims),
    read: async (path: string, claims?: Claims) =>
      (await run(READ, { args: { path } }, claims)).result,
    list: async (path: string, claims?: Claims) =>
      (await run(LIST, { args: { path } }, claims)).result,
    keys: async () => Object.keys(await stored()),
  }
}

it.each<[string, Claims]>([
  ['users/alice/output/a.txt', {}],
  ['users/Alice/output/a.txt', { sub: 'Alice' }],
  ['users/default/output/a.txt', { sub: 'default' }],
  ['users/share/output/a.txt', { sub: 'share' }],
  ['users/users/output/a.txt', { sub: 'users' }],
  ['users/companions/output/a.txt', { sub: 'companions' }],
  ['users/alice/output/a.txt', { user_id: 'bob', app_id: ['companion'] }],
  ['default/output/a.txt', { sub: undefined }],
  ['default/output/a.txt', { sub: '' }],
  ['default/output/a.txt', { sub: undefined, user_id: 'bob' }],
  ['companion/output/a.txt', { sub: 'companion' }],
  ['companion/output/a.txt', { app_id: 'CompaNion' }],
  ['companion/output/a.txt', { sub: undefined, session_id: 'COMPANION' }],
])('a file lies in %s for %j', async (key, claims) => {
  const { write, keys } = await makeCallers()
  await write('output/a.txt', 'text', claims)
  expect(await keys()).toEqual([key])
})

describe('the shared folder', () => {
  it.each(['share/x', 'Share/x', 'SHARE//x', './share/x', 'sHaRe/./x'])(
    'is meant by %j and told as share/x',
    async (path) => {
      const { write, read, keys } = await makeCallers()
      const { files_touched: rows } = await write(path, 'shared')
      expect(rows.map(({ name, op }) => [name, op])).toEqual([['share/x', 'write']])
      expect(await keys()).toEqual(['share/x'])
      expect(await read(path, { sub: 'bob' })).toBe('shared')
    },
  )

  it.each(['shares/x', 'sharex', 'a/share/x', 'share.txt', ' share/x', '\u017fhare/x'])(
    'is not meant by %j',
    async (path) => {
      const { write, keys } = await makeCallers()
      await write(path, 'own')
      expect(await keys()).toEqual([`users/alice/${path}`])
    },
  )

  const everybody: Claims[] = [{ sub: 'bob' }, { sub: undefined }, { sub: 'companion' }]

  it.each(everybody)('is read, listed and changed by %j', async (claims) => {
    const { write, read, list, run } = await makeCallers()
    await write('share/x', 'of alice')
    expect(await read('share/x', claims)).toBe('of alice')
    expect(await list('share', claims)).toEqual(['x'])
    expect(await list('SHARE/', claims)).toEqual(['x'])
    await write('share/x', 'of another', claims)
    expect(await read('share/x')).toBe('of another')
    await run('os.remove("share/x")', {}, claims)
    expect(await read('share/x')).toBe('share/x: No such file or directory')
  })

  it('is listed in the root only when something is in it', async () => {
    const { write, list, run } = await makeCallers()
    const bob = { sub: 'bob' }
    expect([await list('.'), await list('', bob)]).toEqual([[], []])
    await write('a.txt', '')
    expect([await list('.'), await list('', bob)]).toEqual([['a.txt'], []])
    await write('Share/x', '')
    expect([await list('.'), await list('', bob)]).toEqual([['a.txt', 'share'], ['share']])
    await run('os.remove("share/x")', {}, bob)
    expect([await list('.'), await list('', bob)]).toEqual([['a.txt'], []])
  })

  it('cannot be replaced by a file', async () => {
    const { run, write, keys } = await makeCallers()
    await write('a.txt', 'text')
    const { result } = await run(`
      local found = json.array{}
      for _, mode in ipairs{"r", "w", "a", "r+", "w+", "a+"} do
        for _, path in ipairs{"share", "SHARE", "./Share"} do
          local f, message, code = io.open(path, mode)
          if f and mode == "r" then _, message, code = f:read("a") end
          found[#found + 1] = message:gsub("^.*: ", "") .. " " .. code
        end
      end
      local done, message, code = os.rename("a.txt", "Share")
      found[#found + 1] = message .. " " .. code
      found[#found + 1] = select(2, pcall(os.remove, "SHARE"))
      return found`)
    const texts = new Set(result as string[])
    expect([...texts]).toEqual(['Is a directory 21', 'os.remove cannot delete directories'])
    expect(await keys()).toEqual(['users/alice/a.txt'])
  })

  it('has the name the operator gives it', async () => {
    const { run, stored } = await makeApp({ env: { SHARED_DIR: 'Common' } })
    const paths = ['common/a', 'COMMON/b', 'share/c']
    const { files_touched: rows } = await run(
      'for _, path in ipairs(args) do io.open(path, "w"):write("x"):close() end',
      { args: paths },
    )
    expect(rows.map(({ name }) => name)).toEqual(['Common/a', 'Common/b', 'share/c'])
    expect(Object.keys(await stored())).toEqual(['share/a', 'share/b', 'users/alice/share/c'])
  })

  it('gives links that open what all share, and own files of the same name are others', async () => {
    const { app, write } = await makeCallers()
    const shared = await write('SHARE/x.txt', 'shared')
    const own = await write('x.txt', 'own', { sub: 'bob' })
    const texts = [shared, own].map(async ({ files_touched: [row] }) =>
      (await app.request(row!.link!)).text(),
    )
    expect(await Promise.all(texts)).toEqual(['shared', 'own'])
  })
})

describe('who calls is said by the token alone:', () => {
  it.each([
    { tenant: 'globex' },
    { user: 'bob' },
    { sub: 'bob' },
    { user_id: 'companion' },
    { metadata: { user_id: 'companion' } },
    { _meta: { tenant: 'globex' } },
  ])('%j in the body is refused', async (extra) => {
    const { post, keys } = await makeCallers()
    const response = await post({ script: WRITE, args: { path: 'a' }, ...extra })
    expect(await refusalOf(response)).toMatch(/^422 invalid_request: /)
    expect(await keys()).toEqual([])
  })

  it.each([
    { 'X-Tenant': 'globex' },
    { 'X-Tenant-Id': 'globex', 'X-User': 'bob', 'X-User-Id': 'bob' },
    { 'X-Forwarded-User': 'bob', 'Remote-User': 'bob' },
    { 'X-App-Id': 'companion', 'X-Channel-Name': 'companion', Cookie: 'tenant=globex; sub=bob' },
  ])('%j in the headers says nothing', async (headers: Record<string, string>) => {
    const { post, keys } = await makeCallers()
    expect((await post({ script: WRITE, args: { path: 'a' } }, headers)).status).toBe(200)
    expect(await keys()).toEqual(['users/alice/a'])
  })

  it('neither args nor the query of the address do', async () => {
    const { send, keys } = await makeCallers()
    const args = { path: 'a', tenant: 'globex', user: 'bob', user_id: 'companion' }
    const body = JSON.stringify({ script: WRITE, args })
    const address = '/execute?tenant=globex&user=bob&app_id=companion'
    expect((await send(address, { method: 'POST', body })).status).toBe(200)
    expect(await keys()).toEqual(['users/alice/a'])
  })
})
