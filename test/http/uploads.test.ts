/** Upload links: one file, to one path, within what was agreed, once. */
import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { invalid, makeContext, postTo, refusalOf, type Callable } from '../support/call-route.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { makeGate } from '../support/gate.ts'
import { makeApp, ORIGIN, runtimeStorage, type Claims } from '../support/make-app.ts'
import { watchedStorage } from '../support/watched-storage.ts'

interface UploadLink {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly expires_at: string
}

async function linkFor(made: Callable, body: object): Promise<UploadLink> {
  const response = await postTo(made, 'links/upload', body)
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as UploadLink
}

async function put(
  { app }: Pick<Callable, 'app'>,
  url: string,
  text: string,
  headers: Record<string, string> = {},
) {
  const length = new TextEncoder().encode(text).length
  return app.request(url, {
    method: 'PUT',
    body: text,
    headers: { 'Content-Length': String(length), ...headers },
  })
}

/** In pieces, with no word on how long it is. */
function streamed(...pieces: string[]): RequestInit {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })
  return { method: 'PUT', body, duplex: 'half' } as RequestInit
}

/** Files only: what the service remembers about links is no file. */
async function filesOf({ stored }: { stored(): Promise<Record<string, string>> }) {
  const all = Object.entries(await stored())
  return Object.fromEntries(all.filter(([key]) => !key.startsWith('used-links/')))
}

const USED = '409 conflict: This link has been used: it accepts one upload. Request another.'

describe('an upload link', () => {
  it('takes one file, and gives its sender no way to read it', async () => {
    const made = await makeApp({ now: () => new Date('2026-11-16T10:00:00Z') })
    const upload = await linkFor(made, { path: 'input/é.csv', ttl_s: 600 })
    expect(upload).toEqual({
      url: expect.stringMatching(`^${ORIGIN}/files/in\\?path=input/%C3%A9.csv&token=[\\w-]+$`),
      method: 'PUT',
      headers: {},
      expires_at: '2026-11-16T10:10:00Z',
    })
    const response = await put(made, upload.url, 'a,b\n')
    expect(response.status).toBe(201)
    expect(await response.json()).toEqual({ path: 'input/é.csv', bytes: 4 })
    const { result } = await made.run('return io.open("input/é.csv"):read("a")')
    expect(result).toBe('a,b\n')
  })

  it('takes a file of unknown length, and an empty one', async () => {
    const made = await makeApp()
    const [a, b] = [await linkFor(made, { path: 'a' }), await linkFor(made, { path: 'b' })]
    expect((await made.app.request(a.url, streamed('one ', 'two ', 'three'))).status).toBe(201)
    expect((await put(made, b.url, '')).status).toBe(201)
    expect(await filesOf(made)).toEqual({ 'users/alice/a': 'one two three', 'users/alice/b': '' })
  })

  it('works once', async () => {
    const made = await makeApp()
    const { url } = await linkFor(made, { path: 'a' })
    await put(made, url, 'first')
    expect(await refusalOf(await put(made, url, 'second'))).toBe(USED)
    expect(await filesOf(made)).toEqual({ 'users/alice/a': 'first' })
  })

  it('works once for those who come at the same time', async () => {
    const made = await makeApp()
    const { url } = await linkFor(made, { path: 'a' })
    const texts = Array.from({ length: 8 }, (_, i) => `text ${i}`)
    const outcomes = await Promise.all(
      texts.map(async (text) => (await put(made, url, text)).status),
    )
    expect([...outcomes].sort()).toEqual([201, ...Array<number>(7).fill(409)])
    expect(await filesOf(made)).toEqual({ 'users/alice/a': texts[outcomes.indexOf(201)] })
  })

  it('is one of many to the same path', async () => {
    const made = await makeApp({ now: () => new Date('2026-11-16T10:00:00Z') })
    const [a, b] = [await linkFor(made, { path: 'a' }), await linkFor(made, { path: 'a' })]
    expect((await put(made, a.url, '1')).status).toBe(201)
    expect((await put(made, b.url, '2')).status).toBe(201)
  })

  it('is good for another try when an upload fails', async () => {
    const made = await makeApp()
    const { url } = await linkFor(made, { path: 'a', max_bytes: 5 })
    const broken = new ReadableStream({
      pull(controller) {
        controller.error(new Error('gone'))
      },
    })
    const cut = { method: 'PUT', body: broken, duplex: 'half' } as RequestInit
    expect([
      (await put(made, url, 'too much')).status,
      (await made.app.request(url, streamed('too', ' much'))).status,
      (await made.app.request(url, cut)).status,
      (await put(made, url, 'cut', { 'Content-Length': '5' })).status,
    ]).toEqual([413, 413, 400, 400])
    expect(await made.textsUnder()).toEqual({})
    expect((await put(made, url, 'fits')).status).toBe(201)
  })

  it('counts as used when the store does not say whether it took the file', async () => {
    const made = await makeApp()
    const { url } = await linkFor(made, { path: 'a' })
    const silent: StorageDriver = {
      ...made.storage,
      async putStream(_, body) {
        await new Response(body).arrayBuffer()
        throw new Error('no answer')
      },
    }
    const app = createApp({ service: { ...made.service, storage: silent } })
    expect(await refusalOf(await put({ app }, url, 'x'))).toBe(
      '503 storage_unavailable: It is not known whether the file was stored. This link counts as used: look for the file, and request another link if it is missing.',
    )
    expect(await refusalOf(await put(made, url, 'y'))).toBe(USED)
  })

  it('is stopped for a tenant with too many requests, which forged links are none of', async () => {
    const counted: string[] = []
    const made = await makeApp()
    const { url } = await linkFor(made, { path: 'a' })
    const countRequest = async (tenant: string) => counted.push(tenant) < 2
    const app = createApp({ service: made.service, countRequest })
    expect((await put({ app }, `${ORIGIN}/files/in?path=a&token=forged`, 'x')).status).toBe(403)
    expect((await put({ app }, url, 'x')).status).toBe(201)
    const limited = await put({ app }, url, 'x')
    expect([limited.status, limited.headers.get('Retry-After')]).toEqual([429, '60'])
    expect(counted).toEqual([made.tenant, made.tenant])
  })

  it('is not used up by an answer of the store that gets lost', async () => {
    const storage = await runtimeStorage()
    const losing = watchedStorage(
      storage,
      () => {},
      (request) => {
        if (request === 'put') throw new Error('the answer is lost')
      },
    )
    const made = await makeApp({ storage })
    const { url } = await linkFor(made, { path: 'a' })
    const app = createApp({ service: { ...made.service, storage: losing } })
    expect((await put({ app }, url, 'x')).status).toBe(201)
    expect(await filesOf(made)).toEqual({ 'users/alice/a': 'x' })
    expect((await put(made, url, 'y')).status).toBe(409)
  })

  it('refuses while the store is down', async () => {
    const made = await makeApp()
    const { url } = await linkFor(made, { path: 'a' })
    const storage = failingStorage(made.storage, ['head', 'put'])
    const app = createApp({ service: { ...made.service, storage } })
    expect((await put({ app }, url, 'x')).status).toBe(503)
  })
})

describe('the terms of an upload link', () => {
  it.each([
    [4, 201],
    [5, 201],
    [6, 413],
  ])('allow 5 bytes: %i', async (bytes, status) => {
    const made = await makeApp()
    const { url } = await linkFor(made, { path: 'a', max_bytes: 5 })
    expect((await put(made, url, 'x'.repeat(bytes))).status).toBe(status)
    const again = await linkFor(made, { path: 'b', max_bytes: 5 })
    const pieces = Array.from({ length: bytes }, () => 'x')
    expect((await made.app.request(again.url, streamed(...pieces))).status).toBe(status)
    expect(Object.keys(await filesOf(made))).toHaveLength(status === 201 ? 2 : 0)
  })

  it.each([
    ['text/csv', 201],
    ['Text/CSV; charset=utf-8', 201],
    ['text/html', 422],
    ['text/csv2', 422],
    ['', 422],
  ])('allow only their type: %j', async (type, status) => {
    const made = await makeApp()
    const upload = await linkFor(made, { path: 'a.csv', content_type: 'Text/csv' })
    expect(upload.headers).toEqual({ 'content-type': 'text/csv' })
    const response = await put(made, upload.url, 'x', { 'Content-Type': type })
    const refusal = invalid('This link accepts only the Content-Type text/csv.')
    if (status === 201) expect(response.status).toBe(201)
    else expect(await refusalOf(response)).toBe(refusal)
  })

  it('keep bodies of unknown length out of memory', async () => {
    const made = await makeApp()
    const { url } = await linkFor(made, { path: 'a' })
    const piece = 'x'.repeat(1024 * 1024)
    const response = await made.app.request(url, streamed(...Array<string>(9).fill(piece)))
    expect(await refusalOf(response)).toBe(
      '413 too_large: Without a Content-Length, at most 8388608 bytes are accepted. Send one: then this link accepts up to 52428800 bytes.',
    )
    expect(await filesOf(made)).toEqual({})
  })

  const folder = (path: string) =>
    `409 conflict: "${path}" is a folder. Choose another name for the file.`
  const BELOW_FILE =
    '409 conflict: "dir/file" is a file, so nothing can be put below it. Choose another path.'
  const NO_TYPE = invalid('content_type: must be a type such as text/csv')
  const TOO_DEEP = '400 invalid_path: path is not valid: more than 32 levels deep'

  it.each<[object, Claims, string]>([
    [{ path: 'a', max_bytes: 100_000_001 }, {}, invalid('max_bytes: must be at most 100000000')],
    [{ path: 'a', max_bytes: 0 }, {}, invalid('max_bytes: must be at least 1')],
    [{ path: 'a', content_type: 'csv' }, {}, NO_TYPE],
    [{ path: 'a', bytes: 2, max_bytes: 1 }, {}, invalid('bytes: must not be more than max_bytes')],
    [{ path: 'a/.' }, {}, '400 invalid_path: path is not valid: names a folder'],
    [{ path: `${'a/'.repeat(32)}a` }, {}, TOO_DEEP],
    [{ path: 'share' }, {}, folder('share')],
    [{ path: 'dir' }, {}, folder('dir')],
    [{ path: 'dir/file/x' }, {}, BELOW_FILE],
    [{ path: 'a' }, { paths: ['output'] }, '400 invalid_path: path is not allowed'],
    [
      { path: 'a' },
      { scope: 'files:read' },
      '403 forbidden: The token lacks the scope "files:write".',
    ],
  ])('are refused: %j with a token of %j', async (body, claims, refusal) => {
    const made = await makeApp()
    await made.run('io.open("dir/file", "w"):close()')
    expect(await refusalOf(await postTo(made, 'links/upload', body, claims))).toBe(refusal)
  })
})

describe('where uploads go straight to the store', () => {
  async function presigning() {
    const made = await makeApp({ now: () => new Date('2026-11-16T10:00:00Z') })
    const storage: StorageDriver = {
      ...made.storage,
      presignPut: async (key, { expiresAt, ...options }) => ({
        url: `https://store.test/${key.slice(made.tenant.length + 1)}`,
        headers: { told: JSON.stringify(options) },
        expiresAt,
      }),
    }
    const app = createApp({ service: { ...made.service, storage, presignsUploads: true } })
    return { ...made, app }
  }

  it('a known size makes an address of the store that takes exactly that, and only creates', async () => {
    const made = await presigning()
    const direct = await linkFor(made, { path: 'a.csv', bytes: 7, ttl_s: 60 })
    expect(direct).toEqual({
      url: 'https://store.test/users/alice/a.csv',
      method: 'PUT',
      headers: { told: '{"bytes":7,"contentType":"text/csv; charset=utf-8","ifNoneMatch":"*"}' },
      expires_at: '2026-11-16T10:01:00Z',
    })
    const own = await linkFor(made, { path: 'a.csv' })
    expect(own.url).toContain('/files/in?')
  })

  it('a file that is there already is refused at once, since the store only creates', async () => {
    const made = await presigning()
    await made.run('io.open("a.csv", "w"):close()')
    const response = await postTo(made, 'links/upload', { path: 'a.csv', bytes: 7 })
    expect(await refusalOf(response)).toBe(
      '409 conflict: "a.csv" already exists, and an upload of a given size cannot replace it. Omit bytes, or choose another name.',
    )
  })

  it('elsewhere a known size is the most the link takes', async () => {
    const made = await makeApp()
    const { url } = await linkFor(made, { path: 'a', bytes: 3 })
    expect((await put(made, url, '1234')).status).toBe(413)
  })
})

describe('what is remembered of used links', () => {
  it('lies where no path leads, and goes after an answer when the links have long ended', async () => {
    let now = new Date('2026-11-16T10:00:00Z')
    const made = await makeApp({ now: () => now })
    for (const path of ['a', 'b', 'c']) {
      const { url } = await linkFor(made, { path, ttl_s: 60 })
      await put(made, url, 'x')
    }
    const remembered = async () =>
      Object.keys(await made.textsUnder()).filter((key) => key.includes('/used-links/')).length
    expect(await remembered()).toBe(3)
    const { result } = await made.run('return io.list("")')
    expect(result).toEqual(['a', 'b', 'c'])
    now = new Date('2026-11-18T10:00:00Z')
    const { url } = await linkFor(made, { path: 'd', ttl_s: 60 })
    const gate = makeGate()
    const storage = watchedStorage(made.storage, (request, key) =>
      request === 'list' && key.includes('/used-links/') ? gate.opened : undefined,
    )
    const app = createApp({ service: { ...made.service, storage } })
    const { context, kept } = makeContext()
    const init = { method: 'PUT', body: 'x', headers: { 'Content-Length': '1' } }
    const { status } = await app.request(url, init, {}, context)
    expect([status, await remembered()]).toEqual([201, 4])
    gate.open()
    await Promise.all(kept)
    expect(await remembered()).toBe(1)
  })

  it('is nothing for links that were only made or tried', async () => {
    const made = await makeApp()
    for (let i = 0; i < 20; i++) await linkFor(made, { path: `a${i}` })
    await made.app.request(`${ORIGIN}/files/in?path=a&token=forged`, { method: 'PUT', body: 'x' })
    expect(await made.textsUnder()).toEqual({})
  })
})

it('a page of any origin may upload through a link, and nothing goes along but the file', async () => {
  const made = await makeApp()
  const headers = { Origin: 'https://any.example', 'Access-Control-Request-Method': 'PUT' }
  const asked = await made.app.request(`${ORIGIN}/files/in`, { method: 'OPTIONS', headers })
  expect([
    asked.status,
    asked.headers.get('Access-Control-Allow-Origin'),
    asked.headers.get('Access-Control-Allow-Methods'),
    asked.headers.get('Access-Control-Allow-Credentials'),
  ]).toEqual([204, '*', 'PUT', null])
  const { url } = await linkFor(made, { path: 'a' })
  const response = await put(made, url, 'x', { Origin: 'https://any.example' })
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
})
