/** Settings, by what they change for those who run scripts. */
import { describe, expect, it } from 'vitest'
import { LINK_SECRET, makeApp, ORIGIN, type Answer } from '../support/make-app.ts'

const OLD_SECRET = 'signed the links of yesterday'

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Where the links of a run point to that came with these headers. */
async function linkBase(
  env: Record<string, string>,
  headers: Record<string, string> = {},
  url?: string,
) {
  const { app, tokenOf } = await makeApp({ env })
  const response = await app.request(url ?? `${ORIGIN}/execute`, {
    method: 'POST',
    body: JSON.stringify({ script: 'return file.save("a.txt", "x")' }),
    headers: { Authorization: `Bearer ${await tokenOf()}`, ...headers },
  })
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

  it('is not what a proxy says, unless it is trusted', async () => {
    expect(await linkBase({}, forwarded)).toBe(ORIGIN)
    expect(await linkBase({ TRUST_PROXY: 'false' }, { ...forwarded, Host: 'evil.example' })).toBe(
      ORIGIN,
    )
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

describe('LINK_SECRET', () => {
  it('opens links that any of its secrets signed, and signs with the first', async () => {
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
})

describe('API_KEYS', () => {
  it('lets a key run scripts as its owner, within its scopes', async () => {
    const key = 'mb_test_0123456789'
    const tenant = `t-${crypto.randomUUID()}`
    const owner = { tenant, user: 'robot', scopes: ['execute', 'files:write'] }
    const API_KEYS = JSON.stringify({ [await sha256(key)]: owner })
    const { post, textsUnder } = await makeApp({ env: { API_KEYS } })
    const response = await post(
      { script: 'file.save("a", "x") return pcall(io.list)' },
      { Authorization: `Bearer ${key}` },
    )
    expect(((await response.json()) as Answer).result).toBe(false)
    expect(await textsUnder(`${tenant}/`)).toEqual({ [`${tenant}/users/robot/a`]: 'x' })
    expect((await post({ script: '' }, { Authorization: `Bearer ${key}x` })).status).toBe(401)
  })
})

describe('IO_ENABLED=false', () => {
  it('takes io, file, os.remove and os.rename away from everybody', async () => {
    const { run } = await makeApp({ env: { IO_ENABLED: 'false' } })
    const script = 'return {tostring(io), tostring(file), tostring(os.remove), tostring(os.rename)}'
    expect((await run(script)).result).toEqual(['nil', 'nil', 'nil', 'nil'])
  })
})

describe('limits', () => {
  it.each([
    ['IO_MAX_BYTES', '4', 'io.open("a", "w"):write("12345")', 'limit'],
    ['FUEL', '100000', 'while true do end', 'fuel'],
    ['VM_MEMORY_BYTES', '4194304', 'string.rep("x", 8000000)', 'memory'],
    ['TIMEOUT_MS', '30', 'while true do end', 'timeout'],
    [
      'RESIDENT_MAX_BYTES',
      '1000',
      'assert(io.open("a", "w"):write(string.rep("x", 5000)))',
      'limit',
    ],
  ])('%s=%s ends %s', async (name, value, script, kind) => {
    const { run } = await makeApp({ env: { [name]: value } })
    expect((await run(script)).error?.kind).toBe(kind)
  })
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

describe('SHARED_DIR', () => {
  it('names the folder that all users of a tenant share', async () => {
    const { run, textsUnder, tenant } = await makeApp({ env: { SHARED_DIR: 'Team' } })
    await run('file.save("team/a", "1") file.save("share/a", "2")')
    expect((await run('return io.open("Team/a"):read("a")', {}, { sub: 'bob' })).result).toBe('1')
    expect(await textsUnder()).toEqual({
      [`${tenant}/share/a`]: '1',
      [`${tenant}/users/alice/share/a`]: '2',
    })
  })
})

describe('KEY_PREFIX', () => {
  it('is in front of every key', async () => {
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
})

describe('AUTH_DEFAULT_SCOPES', () => {
  const env = { AUTH_DEFAULT_SCOPES: 'execute,files:read' }
  const script = 'return pcall(file.save, "a", "x")'

  it('is for tokens that name no scope', async () => {
    const { run } = await makeApp({ env })
    expect((await run(script)).result).toBe(false)
  })

  it('is not for those that do', async () => {
    const { run } = await makeApp({ env })
    expect((await run(script, {}, { scope: 'execute files:write' })).result).toBe(true)
  })
})

describe('AUTH_TENANT_CLAIM', () => {
  it('is the claim that names the tenant, and the only one', async () => {
    const { run, textsUnder, tenant } = await makeApp({ env: { AUTH_TENANT_CLAIM: 'org' } })
    const org = `org-${crypto.randomUUID()}`
    await run('file.save("a", "x")', {}, { org })
    expect(await textsUnder(`${org}/`)).toEqual({ [`${org}/users/alice/a`]: 'x' })
    expect(await textsUnder()).toEqual({})
    await expect(run('', {}, { tenant })).rejects.toThrow(/^403: /)
  })
})
