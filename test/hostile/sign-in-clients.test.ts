/** Attacks by clients: documents that lie or lead inside, and floods of registrations. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { makeSignIn, oauthErrorOf, REDIRECT_URI } from '../sign-in/make-sign-in.ts'

/** Documents are cached, so each test has an address of its own. */
const newAddress = () => `https://host.example/${crypto.randomUUID()}.json`

const JSON_TYPE = { 'Content-Type': 'application/json' }

type Answer = (id: string) => Response | Promise<Response>

const documentOf = (id: string, more: object = {}) =>
  Response.json({
    client_id: id,
    client_name: 'Host',
    redirect_uris: [REDIRECT_URI],
    ...more,
  })

/** What this service fetches; nothing else is reachable. */
function serve(answer: Answer) {
  const fetched: string[] = []
  const stub = async (address: string | URL, init: RequestInit) => {
    expect(init).toMatchObject({ redirect: 'manual', signal: expect.any(AbortSignal) })
    fetched.push(String(address))
    return answer(String(address))
  }
  vi.stubGlobal('fetch', stub)
  return fetched
}

afterEach(() => {
  vi.unstubAllGlobals()
})

async function refusalOf(response: Response): Promise<string> {
  expect([response.status, response.headers.get('Location')]).toEqual([400, null])
  return /cannot be used: ([^.]*)\./.exec(await response.text())?.[1] ?? 'no reason'
}

describe('a client with a document', () => {
  it('is shown with its host, and signs in', async () => {
    const fetched = serve((id) => documentOf(id))
    const { ask, answer } = await makeSignIn()
    const client_id = newAddress()
    const consent = await ask({ client_id })
    expect(consent.html).toContain('It is a program from <strong>host.example</strong>.')
    expect((await answer(consent)).status).toBe(303)
    await ask({ client_id })
    expect(fetched).toEqual([client_id])
  })

  it.each([
    'http://host.example/client.json',
    'https://host.example/',
    'https://host.example',
    'https://host.example/a/../client.json',
    'https://host.example/client.json#x',
    'https://user@host.example/client.json',
    'https://HOST.example/client.json',
    'https://host.example:443/client.json',
    'https://localhost/client.json',
    'https://a.localhost/client.json',
    'https://127.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://10.0.0.1/client.json',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00::1]/client.json',
    'https://0x7f.1/client.json',
    'https://2130706433/client.json',
    'https://intranet/client.json',
    `https://host.example/${'x'.repeat(512)}`,
  ])('at %j is never fetched', async (client_id) => {
    const fetched = serve((id) => documentOf(id))
    const { open } = await makeSignIn()
    await refusalOf(await open({ client_id }))
    expect(fetched).toEqual([])
  })

  const LIES: [string, Answer, string][] = [
    [
      'redirects',
      () => new Response(null, { status: 302, headers: { Location: 'https://10.0.0.1/' } }),
      'there is no such document',
    ],
    ['is missing', () => new Response('', { status: 404 }), 'there is no such document'],
    [
      'is a page',
      (id) =>
        new Response(JSON.stringify({ client_id: id }), {
          headers: { 'Content-Type': 'text/html' },
        }),
      'there is no such document',
    ],
    ['is no JSON', () => new Response('{', { headers: JSON_TYPE }), 'it is not JSON'],
    ['is null', () => new Response('null', { headers: JSON_TYPE }), 'it names another address'],
    [
      'names another client',
      () => documentOf('https://host.example/b'),
      'it names another address',
    ],
    ['names none', (id) => documentOf(id, { client_id: undefined }), 'it names another address'],
    [
      'has no redirect URIs',
      (id) => documentOf(id, { redirect_uris: [] }),
      'its redirect_uris are not valid',
    ],
    [
      'has one that runs a script',
      (id) => documentOf(id, { redirect_uris: [REDIRECT_URI, 'javascript:alert(1)'] }),
      'its redirect_uris are not valid',
    ],
    [
      'wants a secret',
      (id) => documentOf(id, { token_endpoint_auth_method: 'client_secret_post' }),
      'token_endpoint_auth_method must be none',
    ],
    [
      'is huge',
      (id) => documentOf(id, { padding: 'x'.repeat(20_000) }),
      'it has more than 16384 bytes',
    ],
    [
      'cannot be reached',
      () => Promise.reject(new TypeError('fetch failed')),
      'it cannot be fetched',
    ],
  ]

  it.each(LIES)('that %s is refused', async (_, answer, reason) => {
    serve(answer)
    const { open } = await makeSignIn()
    expect(await refusalOf(await open({ client_id: newAddress() }))).toBe(reason)
  })

  it('that never ends is left', async () => {
    let isCancelled = false
    const endless = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(4096).fill(32)),
        cancel: () => void (isCancelled = true),
      })
    serve(() => new Response(endless(), { headers: JSON_TYPE }))
    const { open } = await makeSignIn()
    await refusalOf(await open({ client_id: newAddress() }))
    expect(isCancelled).toBe(true)
  })

  it('that changes has its new redirect URIs after five minutes, and its old ones no more', async () => {
    let now = new Date('2026-03-01T12:00:00Z')
    let uri = REDIRECT_URI
    serve((id) => documentOf(id, { redirect_uris: [uri] }))
    const { open, ask, answer } = await makeSignIn({ now: () => now })
    const client_id = newAddress()
    const consent = await ask({ client_id })
    uri = 'https://evil.example/'
    // What a person was shown is what happens.
    expect((await answer(consent)).headers.get('Location')).toMatch(/^https:\/\/host\.example\//)
    expect((await open({ client_id, redirect_uri: uri })).status).toBe(400)
    now = new Date('2026-03-01T12:05:01Z')
    expect((await open({ client_id })).status).toBe(400)
    expect((await open({ client_id, redirect_uri: uri })).status).toBe(200)
  })

  it('has this service fetch twenty a minute at most', async () => {
    const fetched = serve(() => new Response('', { status: 404 }))
    const { open } = await makeSignIn()
    const statuses = []
    for (let i = 0; i < 22; i++) statuses.push((await open({ client_id: newAddress() })).status)
    expect(statuses.slice(-3)).toEqual([400, 429, 429])
    expect(fetched).toHaveLength(20)
  })
})

describe('registrations', () => {
  it('store nothing, and end after twenty a minute', async () => {
    const { postJson, textsUnder } = await makeSignIn({ storage: memoryStorage() })
    const statuses = []
    for (let i = 0; i < 21; i++) {
      const response = await postJson('/register', { redirect_uris: [REDIRECT_URI] })
      statuses.push(response.status)
      if (response.status === 201) continue
      expect(await oauthErrorOf(response)).toMatch(/^429 temporarily_unavailable/)
    }
    expect([statuses[19], statuses[20]]).toEqual([201, 429])
    expect(await textsUnder('.sign-in/')).toEqual({})
  })

  it.each([
    ['nothing', {}, /^400 invalid_redirect_uri/],
    ['a list', [], /^400 invalid_redirect_uri/],
    ['null', null, /^400 invalid_redirect_uri/],
    [
      'too many addresses',
      { redirect_uris: Array.from({ length: 11 }, (_, i) => `${REDIRECT_URI}/${i}`) },
      /^400 invalid_client_metadata/,
    ],
    [
      'too much',
      { redirect_uris: [REDIRECT_URI], padding: 'x'.repeat(9000) },
      /^413 invalid_request/,
    ],
  ])('of %s are refused', async (_, body, refusal) => {
    const { postJson } = await makeSignIn()
    expect(await oauthErrorOf(await postJson('/register', body))).toMatch(refusal)
  })
})
