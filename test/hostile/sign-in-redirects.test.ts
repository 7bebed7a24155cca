/** Attempts to have a code, or a person, sent where the client never said. */
import { describe, expect, it } from 'vitest'
import { makeSignIn, oauthErrorOf, REDIRECT_URI } from '../sign-in/make-sign-in.ts'

/** Refused on a page of its own: no redirect, no form. */
async function pageOf(response: Response): Promise<string> {
  expect([response.status, response.headers.get('Location')]).toEqual([400, null])
  expect(response.headers.get('Content-Security-Policy')).toContain("form-action 'none'")
  const html = await response.text()
  expect(html).not.toContain('<form')
  return html
}

describe('a redirect URI', () => {
  it.each([
    'https://host.example/callback/',
    'https://host.example/callback/../other',
    'https://host.example/other',
    'https://host.example/Callback',
    'https://HOST.example/callback',
    'HTTPS://host.example/callback',
    'https://host.example:443/callback',
    'https://host.example:8443/callback',
    'http://host.example/callback',
    'https://host.example/callback?x=1',
    'https://host.example/callback#x',
    'https://host.example/callback%2f',
    'https://user@host.example/callback',
    'https://host.example@evil.example/callback',
    'https://host.example.evil.example/callback',
    'https://evil.example/callback',
    'https://host.example\\@evil.example/callback',
    ' https://host.example/callback',
    'https://host.example/callback\n',
    '//host.example/callback',
    'javascript:alert(1)',
    '',
  ])('%j is not the registered one', async (redirect_uri) => {
    const { register, open } = await makeSignIn()
    await pageOf(await open({ client_id: await register(), redirect_uri }))
  })

  it.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:49152/cb'],
    ['http://127.0.0.1:1/cb', 'http://127.0.0.1/cb'],
    ['http://[::1]:1/cb', 'http://[::1]:49152/cb'],
    ['http://localhost/cb', 'http://localhost:49152/cb'],
    ['cursor://auth/callback', 'cursor://auth/callback'],
  ])('%j allows %j', async (registered, redirect_uri) => {
    const { register, open } = await makeSignIn()
    const client_id = await register({ redirect_uris: [registered] })
    expect((await open({ client_id, redirect_uri })).status).toBe(200)
  })

  it.each([
    ['http://127.0.0.1/cb', 'http://localhost/cb'],
    ['http://localhost/cb', 'http://127.0.0.1/cb'],
    ['http://127.0.0.1/cb', 'http://[::1]/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.2/cb'],
    ['http://127.0.0.1/cb', 'http://127.1/cb'],
    ['http://127.0.0.1/cb', 'https://127.0.0.1/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:80@evil.example/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1.evil.example/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:99999/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:1/cb/x'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:1/cb?x'],
    ['http://localhost/cb', 'http://localhost.evil.example/cb'],
    ['cursor://auth/callback', 'cursor://auth/callback/x'],
  ])('%j does not allow %j', async (registered, redirect_uri) => {
    const { register, open } = await makeSignIn()
    const client_id = await register({ redirect_uris: [registered] })
    await pageOf(await open({ client_id, redirect_uri }))
  })

  it.each([
    'javascript:alert(1)',
    'javascript://host.example/%0aalert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://host.example/x',
    'about:blank',
    'intent://x#Intent;end',
    'http://host.example/callback',
    'http://127.0.0.1.evil.example/',
    'https://user:password@host.example/',
    'https://@host.example/',
    'https://host.example/#fragment',
    'https://host.example/ x',
    'https:host.example/callback',
    "https://a;script-src'*'/",
    'https://',
    'callback',
    '/callback',
    '',
    7,
    null,
    `https://host.example/${'x'.repeat(512)}`,
  ])('%j cannot be registered', async (uri) => {
    const { postJson } = await makeSignIn()
    const response = await postJson('/register', { redirect_uris: [REDIRECT_URI, uri] })
    expect(await oauthErrorOf(response)).toMatch(/^400 invalid_redirect_uri/)
  })
})

describe('no open redirect', () => {
  it.each([
    ['no client', { client_id: undefined }],
    ['an unknown client', { client_id: 'somebody' }],
    ['a client of another service', { client_id: 'eyJhbGciOiJkaXIifQ..a.b.c' }],
    ['a document that is on this machine', { client_id: 'https://localhost/client.json' }],
  ])('for %s, whatever else is wrong', async (_, parameters) => {
    const { open } = await makeSignIn()
    const wrong = { response_type: 'token', code_challenge: undefined, ...parameters }
    const html = await pageOf(await open(wrong))
    expect(html).not.toContain('host.example')
  })

  it('for no redirect URI', async () => {
    const { register, open } = await makeSignIn()
    await pageOf(await open({ client_id: await register(), redirect_uri: undefined }))
  })

  it('for a form that was changed', async () => {
    const { register, ask, answer } = await makeSignIn()
    const consent = await ask({ client_id: await register() })
    const response = await answer(consent, { redirect_uri: 'https://evil.example/' })
    expect(response.headers.get('Location')).toMatch(/^https:\/\/host\.example\/callback\?code=/)
  })
})
