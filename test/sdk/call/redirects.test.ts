/** Redirects and downloads reach listed hosts over https only, with nothing of the request. */
import { describe, expect, it } from 'vitest'
import { findListed, type HostRules } from '../../../src/sdk/call/may-reach.ts'
import type { RedirectEvent } from '../../../src/sdk/call/send.ts'
import { inHeader, inQuery, type ApiSketches } from '../../support/make-catalog.ts'
import { scriptApis, type AnswerFetch } from '../../support/script-apis.ts'
import { runLua } from '../../support/run-lua.ts'

const HOSTS = ['files.example.com', '*.cdn.example', 'a.*.example.net', 'odd.example:8443']
const RULES: HostRules = { hosts: HOSTS, listedIn: 'download_hosts', allowsLoopback: false }

describe('an address', () => {
  it.each([
    'https://files.example.com/a?sig=1',
    'https://FILES.example.com:443/a',
    'https://files.example.com./a',
    'https://x.cdn.example/',
    'https://a.b.example.net/',
    'https://odd.example:8443/a',
  ])('%s is allowed', (address) => {
    expect(findListed(address, RULES)).toBeInstanceOf(URL)
  })

  it.each<[string, string]>([
    ['https://other.example.com/', 'the host is not in download_hosts'],
    ['https://files.example.com.evil.example/', 'the host is not in download_hosts'],
    ['https://evilfiles.example.com/', 'the host is not in download_hosts'],
    ['https://cdn.example/', 'the host is not in download_hosts'],
    ['https://x.y.cdn.example/', 'the host is not in download_hosts'],
    ['https://files.example.com:8443/', 'the host is not in download_hosts'],
    ['https://odd.example/', 'the host is not in download_hosts'],
    ['http://files.example.com/', 'the address is not https'],
    ['ftp://files.example.com/', 'the address is not https'],
    ['file:///etc/passwd', 'the address is not https'],
    ['data:text/plain,x', 'the address is not https'],
    ['javascript:alert(1)', 'the address is not https'],
    ['https://user@files.example.com/', 'the address contains a credential'],
    ['https://user:pass@files.example.com/', 'the address contains a credential'],
    ['https://files.example.com@evil.example/', 'the address contains a credential'],
    ['https://169.254.169.254/latest/meta-data', 'the address is not a public host name'],
    ['http://169.254.169.254/', 'the address is not a public host name'],
    ['https://2852039166/', 'the address is not a public host name'],
    ['https://0xa9fea9fe/', 'the address is not a public host name'],
    ['https://0251.0376.0251.0376/', 'the address is not a public host name'],
    ['https://169.254.43518/', 'the address is not a public host name'],
    ['https://10.0.0.1/', 'the address is not a public host name'],
    ['https://8.8.8.8/', 'the address is not a public host name'],
    ['https://127.0.0.1/', 'the address is not a public host name'],
    ['https://localhost/', 'the address is not a public host name'],
    ['https://x.localhost/', 'the address is not a public host name'],
    ['https://[::1]/', 'the address is not a public host name'],
    ['https://[fd00::1]/', 'the address is not a public host name'],
    ['https://[::ffff:169.254.169.254]/', 'the address is not a public host name'],
    ['https://files.example.com/a\nb', 'the address has spaces or control characters'],
    ['https://files.exam\tple.com/', 'the address has spaces or control characters'],
    [' https://files.example.com/', 'the address has spaces or control characters'],
    ['https://files.example.com/\0', 'the address has spaces or control characters'],
    ['', 'the address is not a URL'],
    ['/relative', 'the address is not a URL'],
    ['https://', 'the address is not a URL'],
  ])('%j is refused', (address, problem) => {
    expect(findListed(address, RULES)).toBe(problem)
  })

  it('of this machine needs a listed port, and that loopback is allowed', () => {
    const hosts = ['127.0.0.1:9000', '[::1]:9000', 'localhost:9000']
    const reached = (address: string, allowsLoopback: boolean) =>
      typeof findListed(address, { ...RULES, hosts, allowsLoopback }) !== 'string'
    for (const host of hosts) {
      expect(reached(`http://${host}/a`, true)).toBe(true)
      expect(reached(`http://${host}/a`, false)).toBe(false)
      expect(reached(`http://${host.replace('9000', '9001')}/a`, true)).toBe(false)
    }
  })
})

const SKETCHES: ApiSketches = {
  a: {
    baseUrl: 'https://api.example',
    auth: { type: 'bearer', secret: 'TOKEN' },
    downloadHosts: HOSTS,
    calls: {
      get: { params: [inQuery('q'), inHeader('X-Own')] },
      head: { method: 'HEAD' },
      post: { method: 'POST', body: { contentTypes: ['text/plain'], type: 'string' } },
    },
  },
  closed: { baseUrl: 'https://api.example', calls: { get: {} } },
}

const redirect = (location: string, status = 302) =>
  new Response('moved', { status, headers: { Location: location, 'Set-Cookie': 'a=b' } })

async function run(script: string, answer: AnswerFetch) {
  const sent: { url: string; headers: Record<string, string>; method: string }[] = []
  const hops: RedirectEvent[] = []
  const apis = scriptApis(
    SKETCHES,
    (request) => {
      const { url, method, headers } = request
      sent.push({ url, method, headers: Object.fromEntries(headers) })
      return answer(request)
    },
    { secrets: { TOKEN: 'the-token' }, onRedirect: (hop) => hops.push(hop) },
  )
  const { result, error, files } = await runLua(script, { apis })
  return { result, error, files, sent, hops }
}

const messageOf = (call: string, answer: AnswerFetch) =>
  run(`return select(2, pcall(function() return ${call} end)).message`, answer)

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    '%i to a listed host is followed with nothing of the request',
    async (status) => {
      const { result, sent, hops } = await run(
        'return sdk.a.get{q = "secret search", ["X-Own"] = "mine"}',
        ({ url }) =>
          url.startsWith('https://api.')
            ? redirect('https://x.cdn.example/f?sig=s', status)
            : { ok: true },
      )
      expect(result).toEqual({ ok: true })
      expect(sent[0]!.headers).toMatchObject({ authorization: 'Bearer the-token', 'x-own': 'mine' })
      expect(sent[1]).toEqual({
        url: 'https://x.cdn.example/f?sig=s',
        method: 'GET',
        headers: { 'accept-encoding': 'gzip, br', 'user-agent': 'moonbucket' },
      })
      expect(hops).toEqual([
        { function: 'a.get', status, from: 'api.example/get', to: 'x.cdn.example/f' },
      ])
    },
  )

  it('is followed for HEAD with HEAD, and for a file', async () => {
    const answer: AnswerFetch = ({ url }) =>
      url.startsWith('https://api.') ? redirect('//files.example.com/f') : new Response('content')
    expect((await run('return sdk.a.head{}', answer)).sent.map(({ method }) => method)).toEqual([
      'HEAD',
      'HEAD',
    ])
    const { result, files } = await run('return sdk.a.get({}, {save_to = "f"})', answer)
    expect(result).toMatchObject({ path: 'f', bytes: 7, status: 200 })
    expect(files).toEqual([{ name: 'f', op: 'write', bytes: 7 }])
  })

  it('is followed three times, and not a fourth', async () => {
    const chain =
      (length: number): AnswerFetch =>
      ({ url }) => {
        const at = Number(/\/f(\d)$/.exec(url)?.[1] ?? 0)
        return at === length ? { at } : redirect(`https://files.example.com/f${at + 1}`)
      }
    expect((await run('return sdk.a.get{}', chain(3))).result).toEqual({ at: 3 })
    const { result, sent } = await messageOf('sdk.a.get{}', chain(4))
    expect(result).toBe(
      'a.get: the API sent a redirect, which is not followed: it is the 4th in a row',
    )
    expect(sent).toHaveLength(4)
  })

  it.each([
    ['https://files.example.com/f', 'it leads back to where it came from'],
    ['https://api.example/get', 'the host is not in download_hosts'],
    ['https://169.254.169.254/', 'the address is not a public host name'],
    ['http://files.example.com/f2', 'the address is not https'],
    ['https://files.example.com:444/f2', 'the host is not in download_hosts'],
    ['https://me:pw@files.example.com/f2', 'the address contains a credential'],
    ['https://files.example.com/\tf2', 'the address has spaces or control characters'],
  ])('from a listed host to %s is not followed', async (location, problem) => {
    const answer: AnswerFetch = ({ url }) =>
      url.startsWith('https://api.') ? redirect('https://files.example.com/f') : redirect(location)
    for (const call of ['sdk.a.get{}', 'sdk.a.get({}, {save_to = "f"})']) {
      const { result, sent, files } = await messageOf(call, answer)
      expect(result).toBe(`a.get: the API sent a redirect, which is not followed: ${problem}`)
      expect([sent.length, files]).toEqual([2, []])
    }
  })

  it.each([
    'https://x.cdn.example/f?token=the-token',
    'https://x.cdn.example/the-token/f',
    'https://the-token.cdn.example/f',
    'https://x.cdn.example/f?t=the%2Dtoken',
    `https://x.cdn.example/f?t=${btoa('the-token')}`,
  ])('with the credential in its address is neither followed nor logged: %s', async (location) => {
    const { result, sent, hops } = await messageOf('sdk.a.get{}', () => redirect(location))
    expect(result).toBe(
      'a.get: the API sent a redirect, which is not followed: the address contains a credential',
    )
    expect([sent.length, hops]).toEqual([1, []])
  })

  it('of a call that changes something, or of an API without download hosts, is not followed', async () => {
    const answer = () => redirect('https://files.example.com/f')
    const post = await messageOf('sdk.a.post{body = "x"}', answer)
    expect(post.result).toBe('a.post: the API sent a redirect, which is not followed')
    const closed = await messageOf('sdk.closed.get{}', answer)
    expect(closed.result).toBe('closed.get: the API sent a redirect, which is not followed')
    expect([...post.sent, ...closed.sent]).toHaveLength(2)
  })

  it('counts as a call', async () => {
    const answer = ({ url }: Request) => redirect(`https://files.example.com/${url.length}`)
    const apis = scriptApis(SKETCHES, answer, {
      secrets: { TOKEN: 'the-token' },
      limits: { apiCalls: 2 },
    })
    const { error } = await runLua('sdk.a.get{}', { apis })
    expect(error).toMatchObject({ kind: 'limit', message: 'script:1: too many API calls (max 2)' })
  })
})

describe('sdk.download', () => {
  it('saves from a listed host, without a credential', async () => {
    const script = 'return sdk.download("https://x.cdn.example/e.zip?sig=1", {save_to = "e.zip"})'
    const { result, sent, files } = await run(
      script,
      () => new Response('zip', { headers: { 'Content-Type': 'application/zip' } }),
    )
    expect(result).toEqual({
      path: 'e.zip',
      bytes: 3,
      status: 200,
      content_type: 'application/zip',
    })
    expect(sent.map(({ headers }) => headers)).toEqual([
      { 'accept-encoding': 'gzip, br', 'user-agent': 'moonbucket' },
    ])
    expect(files).toEqual([{ name: 'e.zip', op: 'write', bytes: 3 }])
  })

  it('takes rows out of JSON', async () => {
    const script =
      'return sdk.download("https://files.example.com/a", {save_to = "a", rows = "x"}).bytes'
    expect((await run(script, () => ({ x: [1, { y: 2 }] }))).result).toBe('1\n{"y":2}\n'.length)
  })

  it.each([
    ['"https://evil.example/"', 'sdk.download: the host is not in download_hosts'],
    ['"https://api.example/get"', 'sdk.download: the host is not in download_hosts'],
    ['"https://169.254.169.254/"', 'sdk.download: the address is not a public host name'],
    ['"http://files.example.com/"', 'sdk.download: the address is not https'],
    ['"https://a@files.example.com/"', 'sdk.download: the address contains a credential'],
    ['"nowhere"', 'sdk.download: the address is not a URL'],
  ])('refuses %s before anything is sent', async (url, message) => {
    const { result, sent } = await messageOf(`sdk.download(${url}, {save_to = "f"})`, () => ({}))
    expect([result, sent]).toEqual([message, []])
  })

  it('needs a URL and a name', async () => {
    const answer = () => ({})
    const url = '"https://files.example.com/"'
    expect((await messageOf(`sdk.download(${url})`, answer)).result).toBe(
      'sdk.download: save_to is required',
    )
    expect((await messageOf(`sdk.download(${url}, {save_to = "/etc/x"})`, answer)).result).toBe(
      'path must be relative',
    )
    expect((await run('sdk.download()', answer)).error?.message).toBe(
      'script:1: sdk.download needs a URL',
    )
  })
})
