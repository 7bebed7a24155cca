/** Settings, by what they change for those who run scripts. */
import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../auth/harness.ts'
import { LINK_SECRET, makeApp, ORIGIN, type Answer } from '../support/make-app.ts'

const OLD_SECRET = 'signed the links of yesterday'

/** Where the links of a run point to that came with these headers. */
async function linkBase(
  env: Record<string, string>,
  headers: Record<string, string> = {},
  url?: string,
) {
  const { send } = await makeApp({ env })
  const body = JSON.stringify({ script: 'return file.save("a.txt", "x")' })
  const response = await send(url ?? '/execute', { method: 'POST', body, headers })
  const { result, files_touched } = (await response.json()) as Answer
  expect(result).toBe(files_touched[0]!.link)
  return /^(.*)\/files\/out\?path=a\.txt&token=/.exec(String(result))?.[1]
}

describe('the base of links', () => {
  const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'files.example' }
  const inside = 'http://10.0.0.7:8080/execute'

  it('is the origin the request was sent to', async () => {
    expect(await linkBase({})).toBe(ORIGIN)
    expect(await linkBase({}, {}, inside)).toBe('http://10.0.0.7:8080')
  })

  it('is PUBLIC_URL, with its path, whatever a request says', async () => {
    const env = { PUBLIC_URL: 'https://public.example/lua/', TRUST_PROXY: 'true' }
    expect(await linkBase(env, forwarded)).toBe('https://public.example/lua')
  })

  it.each([
    [forwarded, 'https://files.example'],
    [{ 'X-Forwarded-Host': 'files.example:8443' }, 'http://files.example:8443'],
    [{ 'X-Forwarded-Host': 'evil.example, files.example' }, 'http://files.example'],
    [{ 'X-Forwarded-Host': 'evil.example,files.example ' }, 'http://files.example'],
    [{ 'X-Forwarded-Host': 'evil.example, ' }, 'http://10.0.0.7:8080'],
    [{ 'X-Forwarded-Proto': 'http, https' }, 'https://10.0.0.7:8080'],
    [{ 'X-Forwarded-Proto': 'https, http' }, 'http://10.0.0.7:8080'],
    [{ 'X-Forwarded-Proto': 'https' }, 'https://10.0.0.7:8080'],
    [{ 'X-Forwarded-Proto': 'gopher' }, 'http://10.0.0.7:8080'],
    [{}, 'http://10.0.0.7:8080'],
  ])('is what a trusted proxy says: %j', async (headers, base) => {
    expect(await linkBase({ TRUST_PROXY: 'true' }, headers, inside)).toBe(base)
  })
})

it('LINK_SECRET opens links that any of its secrets signed, and signs with the first', async () => {
  const before = await makeApp({ env: { LINK_SECRET: OLD_SECRET } })
  const { files_touched } = await before.run('file.save("a", "x")')
  const link = files_touched[0]!.link!
  const { storage } = before
  const statusWith = async (secrets: string) => {
    const { app } = await makeApp({ storage, env: { LINK_SECRET: secrets } })
    return (await app.request(link)).status
  }
  expect(await statusWith(`${LINK_SECRET}, ${OLD_SECRET}`)).toBe(200)
  expect(await statusWith(LINK_SECRET)).toBe(403)

  const both = await makeApp({ storage, env: { LINK_SECRET: `${LINK_SECRET},${OLD_SECRET}` } })
  const renewed = (await both.run('file.save("b", "x")')).files_touched[0]!.link!
  const { app } = await makeApp({ storage })
  expect((await app.request(renewed)).status).toBe(200)
})

it('API_KEYS lets a key run scripts as its owner, within its scopes', async () => {
  const key = 'mb_test_0123456789'
  const tenant = `t-${crypto.randomUUID()}`
  const owner = { tenant, user: 'robot', scopes: ['execute', 'files:write'] }
  const API_KEYS = JSON.stringify({ [await sha256Hex(key)]: owner })
  const { post, textsUnder } = await makeApp({ env: { API_KEYS } })
  const response = await post(
    { script: 'file.save("a", "x") return pcall(io.list)' },
    { Authorization: `Bearer ${key}` },
  )
  expect(((await response.json()) as Answer).result).toBe(false)
  expect(await textsUnder(`${tenant}/`)).toEqual({ [`${tenant}/users/robot/a`]: 'x' })
  expect((await post({ script: '' }, { Authorization: `Bearer ${key}x` })).status).toBe(401)
})

it('IO_ENABLED=false takes io, file, os.remove and os.rename away from everybody', async () => {
  const { run } = await makeApp({ env: { IO_ENABLED: 'false' } })
  const script = 'return {tostring(io), tostring(file), tostring(os.remove), tostring(os.rename)}'
  expect((await run(script)).result).toEqual(['nil', 'nil', 'nil', 'nil'])
})

it('RESIDENT_MAX_BYTES is how much of its files a run may hold', async () => {
  const { run } = await makeApp({ env: { RESIDENT_MAX_BYTES: '16777216' } })
  const writes = (mode: string) =>
    run(`local file, text = io.open("a", "${mode}"), ("x"):rep(9000000)
      assert(file:write(text)) assert(file:write(text))`)
  expect((await writes('w+')).error?.message).toMatch(/File too large$/)
  // Written forward, it leaves in parts.
  expect((await writes('w')).error).toBeUndefined()
})

describe('ALLOWED_PATHS', () => {
  const env = { ALLOWED_PATHS: 'output,share/team' }
  const script = 'local ok, message = pcall(file.save, args, "x") return ok or message'
  const DENIED = 'path is not allowed'

  it.each([
    ['output/a', true],
    ['./output//b/c', true],
    ['Share/team/a', true],
    ['outputs/a', DENIED],
    ['share/other', DENIED],
    ['a', DENIED],
  ])('%s: %s', async (path, outcome) => {
    const { run } = await makeApp({ env })
    expect((await run(script, { args: path })).result).toBe(outcome)
  })

  it.each([
    ['output/mine/a', true],
    ['output/a', DENIED],
    ['data/a', DENIED],
  ])('with paths of the token on top, both must allow %s: %s', async (path, outcome) => {
    const { run } = await makeApp({ env })
    const { result } = await run(script, { args: path }, { paths: ['output/mine', 'data'] })
    expect(result).toBe(outcome)
  })

  it('paths of a token hold without it', async () => {
    const { run } = await makeApp()
    const claims = { paths: ['data'] }
    expect((await run(script, { args: 'data/a' }, claims)).result).toBe(true)
    expect((await run(script, { args: 'output/a' }, claims)).result).toBe(DENIED)
  })
})

it('KEY_PREFIX is in front of every key', async () => {
  const { app, run, textsUnder, tenant } = await makeApp({ env: { KEY_PREFIX: 'lua/files' } })
  const { files_touched } = await run('file.save("a", "1") file.save("share/b", "2")')
  expect(files_touched.map(({ name }) => name)).toEqual(['a', 'share/b'])
  expect(await textsUnder(`lua/files/${tenant}/`)).toEqual({
    [`lua/files/${tenant}/share/b`]: '2',
    [`lua/files/${tenant}/users/alice/a`]: '1',
  })
  expect(await textsUnder()).toEqual({})
  expect(await (await app.request(files_touched[0]!.link!)).text()).toBe('1')
})

it.each([
  [{}, false],
  [{ scope: 'execute files:write' }, true],
])('AUTH_DEFAULT_SCOPES is for tokens that name no scope: %j', async (claims, mayWrite) => {
  const { run } = await makeApp({ env: { AUTH_DEFAULT_SCOPES: 'execute,files:read' } })
  expect((await run('return pcall(file.save, "a", "x")', {}, claims)).result).toBe(mayWrite)
})

it('AUTH_TENANT_CLAIM is the claim that names the tenant, and the only one', async () => {
  const { run, textsUnder, tenant } = await makeApp({ env: { AUTH_TENANT_CLAIM: 'org' } })
  const org = `org-${crypto.randomUUID()}`
  await run('file.save("a", "x")', {}, { org })
  expect(await textsUnder(`${org}/`)).toEqual({ [`${org}/users/alice/a`]: 'x' })
  expect(await textsUnder()).toEqual({})
  await expect(run('', {}, { tenant })).rejects.toThrow(/^403: /)
})
