/** `POST /links/revoke`: links given before end, everywhere within a minute; later ones work. */
import { describe, expect, it } from 'vitest'
import { invalid, postTo, refusalOf } from '../support/call-route.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { makeGate } from '../support/gate.ts'
import { makeApp, runtimeStorage, type Claims, type MakeAppOptions } from '../support/make-app.ts'
import { watchedStorage, type StorageRequest } from '../support/watched-storage.ts'

const START = Date.parse('2026-11-16T10:00:00.999Z')
const REVOKED = '403 forbidden: This link has been revoked.'

/** An app whose clock stands still until it is set. */
async function makeClocked(options: MakeAppOptions = {}) {
  let time = START
  const made = await makeApp({ ...options, now: () => new Date(time) })
  return {
    ...made,
    pass: (seconds: number) => {
      time += seconds * 1000
    },
    write: (...paths: string[]) =>
      made.run('for _, path in ipairs(args) do file.save(path, path) end', { args: paths }),
    /** @param route Also `links/upload`. */
    async linkTo(path: string, claims: Claims = {}, route = 'links'): Promise<string> {
      const answer = (await (await postTo(made, route, { path }, claims)).json()) as Body
      return answer.link ?? answer.url
    },
    async revoke(body: object, claims: Claims = {}) {
      const response = await postTo(made, 'links/revoke', body, claims)
      return response.ok ? ((await response.json()) as Body) : refusalOf(response)
    },
    async open(link: string, init: RequestInit = {}) {
      const response = await made.app.request(link, init)
      return response.ok ? response.text() : refusalOf(response)
    },
  }
}

interface Body {
  readonly link?: string
  readonly url: string
  readonly urls_until?: string
}

describe('a revocation', () => {
  it('ends links given before, and none given afterwards', async () => {
    const made = await makeClocked()
    await made.write('a.txt', 'b.txt')
    const [old, other] = [await made.linkTo('a.txt'), await made.linkTo('b.txt')]
    expect(await made.open(old)).toBe('a.txt')
    expect(await made.revoke({ path: './a.txt' })).toEqual({
      path: 'a.txt',
      revoked_at: '2026-11-16T10:00:00Z',
    })
    made.pass(1)
    const fresh = await made.linkTo('a.txt')
    expect(await Promise.all([old, other, fresh].map((link) => made.open(link)))).toEqual([
      REVOKED,
      'b.txt',
      'a.txt',
    ])
  })

  it('answers when the second is over: a link made then is not of the same second', async () => {
    const before = Math.floor(Date.now() / 1000)
    const { app, tokenOf } = await makeApp()
    await postTo({ app, tokenOf }, 'links/revoke', { path: 'a' })
    expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(before)
  })

  it.each([
    ['a folder ends what is below it', { path: 'out/' }, [REVOKED, REVOKED, 'outer.txt', 'ok']],
    ['a file ends nothing beside it', { path: 'out/a.txt' }, [REVOKED, 'ok', 'outer.txt', 'ok']],
    ['the root ends everything', { path: '.' }, [REVOKED, REVOKED, REVOKED, REVOKED]],
    ['all ends everything', { all: true }, [REVOKED, REVOKED, REVOKED, REVOKED]],
  ])('of %s', async (_, body, wanted) => {
    const made = await makeClocked()
    await made.write('out/a.txt', 'outer.txt', 'share/s.txt')
    const paths = ['out/a.txt', 'out', 'outer.txt', 'share/s.txt']
    const links = await Promise.all(paths.map((path) => made.linkTo(path)))
    await made.revoke(body)
    const opened = await Promise.all(links.map((link) => made.open(link)))
    const isFolderOrShared = (at: number) => at === 1 || at === 3
    expect(
      opened.map((text, at) => (isFolderOrShared(at) && text !== REVOKED ? 'ok' : text)),
    ).toEqual(wanted)
  })

  it('ends links that a folder page hands out with its own issue time', async () => {
    const made = await makeClocked()
    await made.write('out/a.txt')
    const folder = await made.linkTo('out')
    await made.revoke({ path: 'out/a.txt' })
    made.pass(5)
    const { entries } = JSON.parse(await made.open(folder)) as { entries: { link: string }[] }
    expect(await made.open(entries[0]!.link)).toBe(REVOKED)
  })

  it('of a shared path ends the links of every caller to it; of all, only the own', async () => {
    const made = await makeClocked()
    const bob = { sub: 'bob' }
    await made.write('share/s.txt', 'share/t.txt')
    const links = [await made.linkTo('share/s.txt', bob), await made.linkTo('share/t.txt', bob)]
    await made.revoke({ path: 'Share/s.txt' })
    await made.revoke({ all: true })
    expect(await Promise.all(links.map((link) => made.open(link)))).toEqual([
      REVOKED,
      'share/t.txt',
    ])
  })

  it('ends no links of another tenant or user', async () => {
    const storage = await runtimeStorage()
    const [made, other] = [await makeClocked({ storage }), await makeClocked({ storage })]
    await made.write('a.txt')
    await other.write('a.txt')
    const bob = { sub: 'bob' }
    await made.run('file.save("a.txt", "bob")', {}, bob)
    const links = [await made.linkTo('a.txt', bob), await other.linkTo('a.txt')]
    await made.revoke({ all: true })
    expect(await Promise.all(links.map((link) => made.open(link)))).toEqual(['bob', 'a.txt'])
  })

  it('ends upload links', async () => {
    const made = await makeClocked()
    const upload = await made.linkTo('in/x.csv', {}, 'links/upload')
    await made.revoke({ path: 'in' })
    const init = { method: 'PUT', body: 'x', headers: { 'Content-Length': '1' } }
    expect(await made.open(upload, init)).toBe(REVOKED)
    expect(Object.keys(await made.stored())).toEqual(['revoked-links/users/alice'])
  })

  it('leaves a response under way whole', async () => {
    const [reached, revoked] = [makeGate(), makeGate()]
    const storage = watchedStorage(await runtimeStorage(), (request) => {
      if (request !== 'getStream') return undefined
      reached.open()
      return revoked.opened
    })
    const made = await makeClocked({ storage })
    await made.write('a.txt')
    const link = await made.linkTo('a.txt')
    const reading = made.open(link)
    await reached.opened
    await made.revoke({ path: 'a.txt' })
    revoked.open()
    expect(await reading).toBe('a.txt')
    expect(await made.open(link)).toBe(REVOKED)
  })
})

describe('another process', () => {
  it('knows within 60 seconds, and asks the store once a minute and area', async () => {
    const storage = await runtimeStorage()
    const requests: string[] = []
    const watched = watchedStorage(storage, (request: StorageRequest, key) => {
      if (key.includes('revoked-links')) requests.push(request)
    })
    const made = await makeClocked({ storage })
    const far = await makeClocked({ storage: watched })
    await made.write('a.txt')
    const link = await made.linkTo('a.txt')
    for (let i = 0; i < 5; i++) expect(await far.open(link)).toBe('a.txt')
    await made.revoke({ path: 'a.txt' })
    far.pass(59)
    expect(await far.open(link)).toBe('a.txt')
    expect(requests).toEqual(['get'])
    far.pass(1)
    for (let i = 0; i < 5; i++) expect(await far.open(link)).toBe(REVOKED)
    expect(requests).toEqual(['get', 'get'])
  })

  it('whose clock is set back asks again', async () => {
    const storage = await runtimeStorage()
    const made = await makeClocked({ storage })
    const far = await makeClocked({ storage: { ...storage } })
    await made.write('a.txt')
    const link = await made.linkTo('a.txt')
    await far.open(link)
    await made.revoke({ path: 'a.txt' })
    far.pass(-10)
    expect(await far.open(link)).toBe(REVOKED)
  })

  it('that cannot ask opens nothing, and asks again', async () => {
    const storage = await runtimeStorage()
    const made = await makeClocked({ storage })
    await made.write('a.txt')
    const link = await made.linkTo('a.txt')
    const down = await makeClocked({ storage: failingStorage(storage, ['get']) })
    expect(await down.open(link)).toMatch(/^503 storage_unavailable/)
    expect(await made.open(link)).toBe('a.txt')
  })
})

describe('the marks', () => {
  const NAME = 'revoked-links/users/alice'

  it('of concurrent revocations are all kept, and those below a folder once', async () => {
    const made = await makeClocked()
    const paths = Array.from({ length: 8 }, (_, i) => `out/${i}`)
    await Promise.all(paths.map((path) => made.revoke({ path })))
    const marks = JSON.parse((await made.stored())[NAME]!) as [string, number][]
    expect(marks.map(([path]) => path).sort()).toEqual(paths)
    await made.revoke({ path: 'out' })
    expect((await made.stored())[NAME]).toBe(`[["out",${Math.floor(START / 1000)}]]`)
  })

  it('are forgotten when every link that they end has expired', async () => {
    const made = await makeClocked()
    await made.revoke({ path: 'a' })
    made.pass(9 * 24 * 3600)
    await made.revoke({ path: 'b' })
    expect(JSON.parse((await made.stored())[NAME]!)).toMatchObject([['b', expect.any(Number)]])
  })

  it('have a bound, at which only single paths are refused', async () => {
    const made = await makeClocked()
    const long = (i: number) => `${i}/${'x'.repeat(500)}`
    let refusal: unknown
    for (let i = 0; i < 40 && typeof refusal !== 'string'; i++) {
      refusal = await made.revoke({ path: long(i) })
    }
    expect(refusal).toBe(
      '409 conflict: Too many paths were revoked one by one. Revoke a folder above them, or all.',
    )
    expect(await made.revoke({ all: true })).toMatchObject({ path: '.' })
    expect(JSON.parse((await made.stored())[NAME]!)).toHaveLength(1)
  })

  it('that are broken end everything issued before', async () => {
    const made = await makeApp()
    await made.run('file.save("a.txt", "x")')
    const link = (await (await postTo(made, 'links', { path: 'a.txt' })).json()) as Body
    await made.storage.put(`${made.tenant}/${NAME}`, new TextEncoder().encode('{"torn'))
    expect(await refusalOf(await made.app.request(link.link!))).toBe(REVOKED)
  })
})

describe('a request to revoke', () => {
  const FORBIDDEN = '403 forbidden: The token is limited to some paths. Revoke each of them.'

  it.each<[string, object, Claims, string]>([
    ['nothing', {}, {}, invalid('give either path or all')],
    ['both', { path: 'a', all: true }, {}, invalid('give either path or all')],
    ['all: false', { all: false }, {}, invalid('all: must be true')],
    ['all beyond its paths', { all: true }, { paths: ['out'] }, FORBIDDEN],
    [
      'another path than its own',
      { path: 'a' },
      { paths: ['out'] },
      '400 invalid_path: path is not allowed',
    ],
    [
      'without the scope',
      { all: true },
      { scope: 'files:read' },
      '403 forbidden: The token lacks the scope "files:write".',
    ],
  ])('%s is refused', async (_, body, claims, refusal) => {
    const made = await makeClocked()
    expect(await made.revoke(body, claims)).toBe(refusal)
    expect(await made.stored()).toEqual({})
  })
})

describe('presigned URLs', () => {
  it('live on until urls_until, which URL_TTL_S shortens', async () => {
    const asked: Date[] = []
    const presignGet = async (_: string, { expiresAt }: { expiresAt: Date }) => {
      asked.push(expiresAt)
      return { url: 'https://store.test/a', expiresAt, headers: {} }
    }
    const storage = { ...(await runtimeStorage()), presignGet }
    const made = await makeClocked({ storage, env: { URL_TTL_S: '300' } })
    const { files_touched } = await made.write('a.txt')
    expect(files_touched).toMatchObject([
      { url_expires_at: '2026-11-16T10:05:00Z', expires_at: '2026-11-17T10:00:00Z' },
    ])
    expect(await made.revoke({ path: 'a.txt' })).toMatchObject({
      urls_until: '2026-11-16T10:05:00Z',
    })
    expect(asked).toEqual([new Date('2026-11-16T10:05:00Z')])
  })
})
