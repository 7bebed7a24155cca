/** Attacks on the person at the consent page: other sites, frames, false names, guessed keys. */
import { describe, expect, it, vi } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { CLIENT, makeSignIn, REDIRECT_URI } from '../sign-in/make-sign-in.ts'
import { makeGate } from '../support/gate.ts'

describe('the consent page', () => {
  it('cannot be framed, cached, or seen in a referrer, and runs nothing', async () => {
    const { register, ask } = await makeSignIn()
    const { response, html } = await ask({ client_id: await register() })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self' https://host.example; frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    expect(html).not.toMatch(/<script|javascript:|\son\w+=/i)
  })

  it.each([
    ['http://127.0.0.1:9/cb', 'http://127.0.0.1:9'],
    ['http://[::1]:9/cb', 'http:'],
    ['cursor://auth/cb', 'cursor:'],
    ['httpx://claude.ai/cb', 'httpx:'],
  ])('lets its form lead to %j and nowhere else', async (uri, source) => {
    const { register, ask } = await makeSignIn()
    const client_id = await register({ redirect_uris: [uri] })
    const { response } = await ask({ client_id, redirect_uri: uri })
    const policy = response.headers.get('Content-Security-Policy')
    expect(policy).toContain(`form-action 'self' ${source};`)
  })

  it('shows no host for an address of an app, whatever its scheme', async () => {
    const { register, ask } = await makeSignIn()
    const redirect_uri = 'httpx://bank.example/cb'
    const client_id = await register({ redirect_uris: [redirect_uri] })
    const { html } = await ask({ client_id, redirect_uri })
    expect(html).toContain('the app for <strong>httpx:</strong> addresses on this device')
    expect(html).not.toContain('bank.example')
  })

  it('shows the name of a client as text, on one line', async () => {
    const { register, ask } = await makeSignIn()
    const client_name = '<img src=x onerror=alert(1)>"\'&\u202e\n\0bank\u200b'
    const { html } = await ask({ client_id: await register({ ...CLIENT, client_name }) })
    expect(html).not.toContain('<img')
    expect(html).toContain('&#60;img src=x onerror=alert(1)&#62;&#34;&#39;&#38; bank')
    expect(html).not.toMatch(/[\u202e\u200b\0]/)
  })

  it('cuts a long name, and gives one to a client without', async () => {
    const { register, ask } = await makeSignIn()
    const long = await ask({
      client_id: await register({ ...CLIENT, client_name: 'x'.repeat(999) }),
    })
    expect(long.html).toContain(`${'x'.repeat(79)}…`)
    const none = await ask({ client_id: await register({ redirect_uris: [REDIRECT_URI] }) })
    expect(none.html).toContain('A program without a name')
  })

  it('says where the answer goes, and that nobody checked the name', async () => {
    const { register, ask } = await makeSignIn()
    const { html } = await ask({ client_id: await register() })
    expect(html).toContain('<strong>host.example</strong>')
    expect(html).toContain('nobody has checked it')
    for (const scope of ['Run scripts', 'Read your files', 'Write, move and delete your files']) {
      expect(html).toContain(scope)
    }
  })

  it('has no markup of parameters or errors', async () => {
    const { register, open, request } = await makeSignIn()
    const markup = '"><script>alert(1)</script>'
    const client_id = await register()
    for (const parameters of [{ state: markup }, { client_id: markup }, { redirect_uri: markup }]) {
      const html = await (await open({ client_id, ...parameters })).text()
      expect(html).not.toContain('<script')
    }
    expect(await (await request(`/authorize?${markup}`)).text()).not.toContain('<script')
  })
})

describe('a form from elsewhere', () => {
  it('without the cookie of its browser is refused', async () => {
    const { register, ask, answer } = await makeSignIn()
    const { ticket } = await ask({ client_id: await register() })
    const response = await answer({ ticket, cookie: '' })
    expect([response.status, response.headers.get('Location')]).toEqual([403, null])
  })

  it('with the ticket of an attacker and the cookie of the victim is refused', async () => {
    const { register, ask, answer } = await makeSignIn()
    const client_id = await register()
    const [attacker, victim] = [await ask({ client_id }), await ask({ client_id })]
    expect((await answer({ ticket: attacker.ticket, cookie: victim.cookie })).status).toBe(403)
    expect((await answer(victim)).status).toBe(303)
  })

  it('sent by another site is refused, even with both', async () => {
    const { register, ask, postForm } = await makeSignIn()
    const { ticket, cookie } = await ask({ client_id: await register() })
    for (const site of ['cross-site', 'same-site']) {
      const headers = { Cookie: cookie, 'Sec-Fetch-Site': site }
      const response = await postForm('/authorize', { ticket, key: 'key of alice' }, headers)
      expect(response.status).toBe(403)
    }
  })

  it('ten minutes later is refused', async () => {
    let now = new Date('2026-03-01T12:00:00Z')
    const { register, ask, answer } = await makeSignIn({ now: () => now })
    const consent = await ask({ client_id: await register() })
    now = new Date('2026-03-01T12:10:01Z')
    expect((await answer(consent)).status).toBe(403)
  })

  it('finds a cookie that scripts, other hosts and other sites do not get', async () => {
    const { register, ask } = await makeSignIn()
    const { response } = await ask({ client_id: await register() })
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-sign-in=[0-9a-f]{32}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
  })

  it('cannot choose what the settings do not allow', async () => {
    const { register, ask, answer } = await makeSignIn()
    const consent = await ask({ client_id: await register() })
    const response = await answer(consent, { choice: 'issuer', key: '' })
    expect([response.status, response.headers.get('Location')]).toEqual([403, null])
  })
})

describe('guessing', () => {
  it('of keys ends after ten a minute, and a right one is not tried either', async () => {
    let now = new Date('2026-03-01T12:00:00Z')
    const { register, ask, answer } = await makeSignIn({ now: () => now })
    const consent = await ask({ client_id: await register() })
    for (let i = 0; i < 10; i++) {
      expect((await answer(consent, { key: `guess ${i}` })).status).toBe(403)
    }
    const response = await answer(consent)
    expect([response.status, response.headers.get('Retry-After')]).toEqual([429, '60'])
    now = new Date('2026-03-01T12:01:01Z')
    expect((await answer(consent)).status).toBe(303)
  })

  it('from one address does not stop another, if a proxy is trusted to tell them apart', async () => {
    const env = { TRUST_PROXY: 'true', PUBLIC_URL: 'https://moonbucket.test' }
    const { register, ask, postForm } = await makeSignIn({ env })
    const { ticket, cookie } = await ask({ client_id: await register() })
    const from = async (address: string, key: string) => {
      const headers = { Cookie: cookie, 'X-Forwarded-For': address }
      return (await postForm('/authorize', { ticket, choice: 'key', key }, headers)).status
    }
    for (let i = 0; i < 10; i++) await from(`9.9.9.9, 2001:db8:1:2::${i}`, 'guess')
    expect(await from('2001:db8:1:2::ffff', 'key of alice')).toBe(429)
    expect(await from('2001:db8:1:3::1', 'key of alice')).toBe(303)
    for (let i = 0; i < 10; i++) await from(`2001:db8::${i}`, 'guess')
    for (const same of ['2001:db8::ffff', '2001:db8::1:2:3:4', '2001:0DB8:0:0:1::1']) {
      expect([same, await from(same, 'key of alice')]).toEqual([same, 429])
    }
    for (const other of ['2001:db8::1:2:3:4:5', '2001:db8:0:1::1', '::ffff:9.9.9.8', '9.9.9.8']) {
      expect([other, await from(other, 'key of alice')]).toEqual([other, 303])
    }
  })

  it('of many keys at once is no way around', async () => {
    const storage = memoryStorage()
    const gate = makeGate()
    let waiting = 0
    const { register, ask, answer } = await makeSignIn({
      storage: {
        ...storage,
        async get(key, options) {
          waiting++
          await gate.opened
          return storage.get(key, options)
        },
      },
    })
    const consent = await ask({ client_id: await register() })
    const guesses = Array.from({ length: 10 }, (_, i) => answer(consent, { key: `guess ${i}` }))
    await vi.waitFor(() => expect(waiting).toBe(10))
    expect((await answer(consent)).status).toBe(429)
    gate.open()
    const answers = await Promise.all(guesses)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]))
  })

  it('is counted by the platform, too', async () => {
    const counted: string[] = []
    const { register, ask, answer } = await makeSignIn({
      countRequest: async (name) => counted.push(name) < 2,
    })
    const consent = await ask({ client_id: await register() })
    expect((await answer(consent)).status).toBe(429)
    expect(counted).toEqual(['sign-in ', 'sign-in '])
  })

  it('no token, key or secret is in the log', async () => {
    const { signIn, refresh, register, ask, answer, events } = await makeSignIn()
    const { client_id, refresh_token, access_token } = await signIn()
    for (let i = 0; i < 2; i++) await refresh(client_id, refresh_token)
    await answer(await ask({ client_id: await register() }), { key: 'a guessed key' })
    const log = JSON.stringify(events)
    for (const secret of [
      client_id,
      refresh_token,
      access_token,
      'a guessed key',
      'key of alice',
    ]) {
      expect(log).not.toContain(secret)
    }
  })
})
