/** Requests that two readers could understand in two ways: there is one meaning, or none. */
import { describe, expect, it } from 'vitest'
import { makeApp, ORIGIN, type Answer } from '../support/make-app.ts'
import { makeMcp, messagesOf, requestOf } from '../mcp/make-mcp.ts'

const SCRIPT = JSON.stringify({ script: 'return "ran"' })

describe('an address', () => {
  const OTHERS = [
    '/execute/',
    '//execute',
    '/EXECUTE',
    '/Execute',
    '/execute;x',
    '/execute%00',
    '/execute%20',
    '/execute%2f',
    '/execute.json',
    '/./x/execute',
    '/x/..;/execute',
    '/%252e%252e/execute',
    '/health%2f..%2fexecute',
    '/health/..%2fexecute',
    '/health\\..\\execute\\x',
    '/fs/read/',
    '/fs//read',
    '/FS/read',
    '/fs/Read',
    '/fs/read%2f',
    '/fs/../fs/constructor',
    '/fs/__proto__',
    '/fs/toString',
    '/links/',
    '/links//upload',
    '/mcp/',
    '/MCP',
    '/mcp/mcp',
  ]

  it.each(OTHERS)('%s is nobody’s, with or without a token', async (address) => {
    const { app, send, events } = await makeApp()
    const init = { method: 'POST', body: SCRIPT }
    for (const response of [
      await app.request(ORIGIN + address, init),
      await send(ORIGIN + address, init),
    ]) {
      expect(response.status).toBe(404)
      expect(await response.text()).not.toContain('ran')
    }
    expect(events).toEqual([])
  })

  it.each(['/execute', '/%65xecute', '/x/../execute', '/x/%2e%2e/execute', '/./execute'])(
    '%s, which URLs take for the same, has the same door',
    async (address) => {
      const { app } = await makeApp()
      const response = await app.request(ORIGIN + address, { method: 'POST', body: SCRIPT })
      expect([401, 404]).toContain(response.status)
    },
  )

  it.each([
    ['path=own.txt&path=../x', 'own'],
    ['path=own.txt&path[]=../x', 'own'],
    ['path=own.txt%26path%3Dother.txt', null],
    ['path=own.txt;path=other.txt', null],
  ])('with the query %s has one path', async (query, content) => {
    const { send, run } = await makeApp()
    await run('file.save("own.txt", "own") file.save("other.txt", "other")')
    const response = await send(`/fs/content?${query}`)
    expect(response.ok ? await response.text() : null).toBe(content)
  })

  it('with two tokens of links has the first, and a second does not mend it', async () => {
    const { app, run } = await makeApp()
    const { link } = (await run('file.save("a.txt", "a")')).files_touched[0]!
    const forged = link!.replace('token=', 'token=x&token=')
    expect((await app.request(forged)).status).toBe(403)
    expect(await (await app.request(`${link}&token=x&path=b.txt`)).text()).toBe('a')
  })
})

describe('a header', () => {
  it.each([
    ['X-HTTP-Method-Override', 'POST'],
    ['X-HTTP-Method', 'POST'],
    ['X-Method-Override', 'DELETE'],
    ['_method', 'POST'],
  ])('%s: %s does not make another method of a request', async (name, value) => {
    const { send, events } = await makeApp()
    for (const address of ['/execute', '/fs/delete', '/links', '/execute?_method=POST']) {
      expect((await send(address, { headers: { [name]: value } })).status).toBe(404)
    }
    expect(events).toEqual([])
  })

  it.each([
    'X-Original-URL',
    'X-Rewrite-URL',
    'X-Forwarded-Prefix',
    'X-Forwarded-Path',
    'X-Forwarded-Uri',
  ])('%s does not lead to another route', async (name) => {
    const { app } = await makeApp()
    const response = await app.request(`${ORIGIN}/health`, { headers: { [name]: '/execute' } })
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
  })

  const PROXY_WORDS = {
    Forwarded: 'for=127.0.0.1;host=evil.example;proto=https',
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Proto': 'http',
    'X-Forwarded-Port': '666',
    'X-Forwarded-For': '127.0.0.1',
    'X-Forwarded-Server': 'evil.example',
    'X-Host': 'evil.example',
    'X-Original-Host': 'evil.example',
    'X-Real-IP': '127.0.0.1',
  }

  it('of a proxy that is not trusted is in no link and no challenge', async () => {
    const iss = 'https://issuer.test'
    const { post, app } = await makeApp({ env: { AUTH_ISSUER: iss } })
    const answer = await post({ script: 'return file.save("a.txt", "")' }, PROXY_WORDS, { iss })
    const told = await answer.text()
    expect(told).toContain(`${ORIGIN}/files/out`)
    expect(told).not.toMatch(/evil|:666/)
    for (const path of ['/mcp', '/.well-known/oauth-protected-resource/mcp']) {
      const response = await app.request(ORIGIN + path, { headers: PROXY_WORDS })
      const text = [...response.headers].join() + (await response.text())
      expect(text).not.toMatch(/evil|:666/)
      expect(text).toContain(ORIGIN)
    }
  })

  it('of a client is not that of the proxy behind it', async () => {
    const { send } = await makeApp({ env: { TRUST_PROXY: 'true' } })
    // Headers that come twice are joined like this before anybody reads them.
    const headers = {
      'X-Forwarded-Host': 'evil.example, files.example',
      'X-Forwarded-Proto': 'http, https',
    }
    const body = JSON.stringify({ script: 'return file.save("a.txt", "")' })
    const response = await send('http://10.0.0.7/execute', { method: 'POST', body, headers })
    const { result } = (await response.json()) as Answer
    expect(new URL(String(result)).origin).toBe('https://files.example')
  })

  it.each([
    'evil.example/x?',
    'evil.example@good.example',
    'user:pass@evil.example',
    'evil.example#',
    'a b',
    '',
    '"><script>',
    'evil.example\\@good.example',
  ])('of a trusted proxy with the host %j makes no other address than an origin', async (host) => {
    const { post } = await makeApp({ env: { TRUST_PROXY: 'true' } })
    const script = 'return file.save("a.txt", "")'
    const response = await post({ script }, { 'X-Forwarded-Host': host })
    const { result } = (await response.json()) as Answer
    const { origin, pathname, username, password } = new URL(String(result))
    expect([pathname, username, password]).toEqual(['/files/out', '', ''])
    expect(String(result).startsWith(`${origin}/files/out?path=a.txt&token=`)).toBe(true)
  })

  it.each([
    ['two of one kind', (token: string) => [`Bearer ${token}`, `Bearer ${token}`]],
    ['a good one first', (token: string) => [`Bearer ${token}`, 'Bearer x']],
    ['a good one last', (token: string) => ['Bearer x', `Bearer ${token}`]],
    ['another scheme first', (token: string) => ['Basic eDp5', `Bearer ${token}`]],
  ])('Authorization that comes twice says nothing: %s', async (_, valuesOf) => {
    const { app, tokenOf } = await makeApp()
    const headers = new Headers()
    for (const value of valuesOf(await tokenOf())) headers.append('Authorization', value)
    const response = await app.request(`${ORIGIN}/execute`, {
      method: 'POST',
      body: SCRIPT,
      headers,
    })
    expect(response.status).toBe(401)
  })

  it.each(['Cookie', 'X-Authorization', 'Proxy-Authorization', 'X-Api-Key', 'Authentication'])(
    '%s does not say who is calling',
    async (name) => {
      const { app, tokenOf } = await makeApp()
      const token = await tokenOf()
      const headers = { [name]: `Bearer ${token}` }
      for (const query of ['', `?access_token=${token}`, `?token=${token}`]) {
        const init = { method: 'POST', body: SCRIPT, headers }
        expect((await app.request(`${ORIGIN}/execute${query}`, init)).status).toBe(401)
      }
    },
  )
})

describe('a body', () => {
  it('with a name twice means the last, for what is checked and for what runs', async () => {
    const { post } = await makeApp()
    const bodies = [
      '{"script": "return 1", "script": "return 2"}',
      '{"script": "return 1", "\\u0073cript": "return 2"}',
      '{"args": 1, "script": "return args", "args": 2}',
      '{"args": 1, "script": "return args", "\\u0061rgs": 2}',
      '{"args": {"args": 1}, "script": "return args", "args": 2}',
      '{"script": "return 1", "limits": {"fuel": 99999999999}, "script": "return 2", "limits": {"fuel": 9999}}',
    ]
    for (const body of bodies) {
      const { result } = (await (await post(body)).json()) as Answer
      expect([body, result]).toEqual([body, 2])
    }
  })

  it.each([
    '{"script": "return 1", "__proto__": {"tenant": "x"}}',
    '{"script": "return 1", "constructor": {"prototype": {"tenant": "x"}}}',
    '{"script": "return 1", "tenant": "x"}',
    '{"script": "return 1", "limits": {"__proto__": {"fuel": 1}}}',
    '{"script": "return 1", "SCRIPT": "return 2"}',
    '{"script": "return 1", "script\\u0000": "return 2"}',
  ])('with a name that is not known is refused: %s', async (body) => {
    const { post } = await makeApp()
    expect((await post(body)).status).toBe(422)
    expect(({} as Record<string, unknown>).tenant).toBeUndefined()
  })

  it.each([
    '{"script": "return 1"}{"script": "return 2"}',
    '{"script": "return 1"}\0',
    '{"script": "return 1"} // x',
    '[{"script": "return 1"}]trailing',
    "{'script': 'return 1'}",
    '{"script": "return 1",}',
    '{script: "return 1"}',
    '\ufeff\ufeff{"script": "return 1"}',
    'script=return+1',
    '{"script": "return 1"',
  ])('that is more or less than one JSON text is refused: %j', async (body) => {
    const { post } = await makeApp()
    expect((await post(body)).status).toBe(400)
  })

  it.each(['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'])(
    'said to be %s, as forms of other pages can send it, still needs the token',
    async (type) => {
      const { app } = await makeApp({ env: { ALLOWED_ORIGINS: 'https://app.example' } })
      const response = await app.request(`${ORIGIN}/execute`, {
        method: 'POST',
        body: SCRIPT,
        headers: { 'Content-Type': type, Origin: 'https://evil.example', Cookie: 'a=b' },
      })
      expect(response.status).toBe(401)
      expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
    },
  )

  it('of /mcp with a tool named twice is judged by the one that is called', async () => {
    const { send, stored } = await makeMcp()
    const revision = '2025-06-18'
    const params = { name: 'NAME', arguments: { path: 'a', content: 'x' } }
    const body = JSON.stringify(requestOf('tools/call', params, { revision }))
    const call = (first: string, last: string) =>
      body.replace('"name":"NAME"', `"name":"${first}","name":"${last}"`)
    const claims = { scope: 'files:read' }
    const headers = { 'Mcp-Name': undefined }
    const refused = await send(call('file_exists', 'file_write'), { revision, claims, headers })
    expect(refused.status).toBe(403)
    const answered = await send(call('file_write', 'file_exists'), { revision, claims, headers })
    const [message] = await messagesOf(answered)
    // `content` is no field of file_exists: it was asked, and nothing was written.
    expect(message?.result).toMatchObject({ isError: true })
    expect(await stored()).toEqual({})
  })
})
