/** Bytes that no client library would send, over a socket, against the Worker as it is deployed. */
import { connect, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { listen } from '../../support/listen.ts'
import { signToken } from '../../support/sign-token.ts'
import { sharedWorker } from '../start-worker.ts'

const SILENCE_MS = 2000

const worker = await sharedWorker()
const token = await signToken({ tenant: 'raw', sub: 'alice' })

/** Everything the server says until it ends the connection, or has nothing more to say. */
function exchange(bytes: string): Promise<string> {
  const { hostname, port } = new URL(worker.origin)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.setTimeout(SILENCE_MS, () => socket.destroy())
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
    // A server may close the connection of a client that sends nonsense.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
    socket.end(bytes, 'latin1')
  })
}

const statusesOf = (answer: string) =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))

const runsOf = (tenant: string) =>
  worker.events.filter((event) => event.event === 'run' && event.tenant === tenant).length

/** A request to run a script, with these header lines and this body. */
function execute(lines: readonly string[], body: string, requestLine = 'POST /execute HTTP/1.1') {
  return [requestLine, 'Host: 127.0.0.1', 'Connection: close', ...lines, '', body].join('\r\n')
}

const bodyOf = (script: string) => JSON.stringify({ script })
const BEARER = `Authorization: Bearer ${token}`
const inChunks = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

it('a plain request is answered, or the rest would prove nothing', async () => {
  const body = bodyOf('return "ran"')
  const whole = await exchange(execute([BEARER, `Content-Length: ${body.length}`], body))
  expect([statusesOf(whole), whole.includes('"ran"')]).toEqual([[200], true])
  const lines = [BEARER, 'Transfer-Encoding: chunked']
  const chunked = await exchange(execute(lines, inChunks(body)))
  expect([statusesOf(chunked), chunked.includes('"ran"')]).toEqual([[200], true])
})

describe('a body with two lengths', () => {
  const outer = bodyOf('return "outer"')
  const length = `Content-Length: ${outer.length}`
  const chunked = 'Transfer-Encoding: chunked'
  const end = '0\r\n\r\n'
  const hidden = bodyOf('file.save("smuggled.txt", "") return "smuggled"')

  it.each<[string, headers: string[], body: string]>([
    ['Content-Length before chunks', [length, chunked], end],
    ['chunks before Content-Length', [chunked, 'Content-Length: 4'], end],
    ['two Content-Lengths', [length, 'Content-Length: 0'], outer],
    ['a list as Content-Length', [`${length}, 0`], outer],
    ['a signed Content-Length', [`Content-Length: +${outer.length}`], outer],
    ['a hexadecimal Content-Length', ['Content-Length: 0x0'], ''],
    ['a negative Content-Length', ['Content-Length: -1'], ''],
    ['chunked twice', [`${chunked}, chunked`], end],
    ['chunked with another word', ['Transfer-Encoding: xchunked'], end],
    ['chunked after identity', ['Transfer-Encoding: identity, chunked'], end],
    ['a space before the colon', [length, 'Transfer-Encoding : chunked'], outer],
    ['a chunk of a negative size', [chunked], `-1\r\nx\r\n${end}`],
    ['a chunk of a huge size', [chunked], `ffffffffffffffffff\r\nx\r\n${end}`],
  ])('never lets a request in that hides behind it: %s', async (_, lines, body) => {
    const before = runsOf('raw')
    // The outer request has no token of its own, so every run would be the hidden one's.
    const behind = execute([BEARER, `Content-Length: ${hidden.length}`], hidden)
    const answer = await exchange(
      execute(lines, body + behind).replace('Connection: close\r\n', ''),
    )
    // What comes after a whole request is another one, with an answer and a token of its own. What
    // must not be is that the token of one counts for the other.
    const statuses = statusesOf(answer)
    expect(statuses[0] === undefined || statuses[0] >= 400).toBe(true)
    expect(answer).not.toContain('"outer"')
    const answered = statuses.filter((status) => status === 200).length
    await expect.poll(() => runsOf('raw') - before).toBe(answered)
  })
})

describe('a request that is not well made', () => {
  it.each([
    ['with two tokens', execute([BEARER, 'Authorization: Bearer x', 'Content-Length: 2'], '{}')],
    ['with one token twice', execute([BEARER, BEARER, 'Content-Length: 2'], '{}')],
    ['with a folded token', execute([`Authorization: Bearer\r\n ${token}`], '')],
    ['with a NUL in the token', execute([`${BEARER}\0`], '')],
    ['with a bare line feed before the token', execute([`X: y\nX-${BEARER}`], '')],
    ['with another method in capitals', execute([BEARER], '', 'post /execute HTTP/1.1')],
    ['with a space in the method', execute([BEARER], '', 'PO ST /execute HTTP/1.1')],
    ['with no version', execute([BEARER], '', 'POST /execute')],
    ['with a body that never comes', execute([BEARER, 'Content-Length: 100'], '{}')],
    ['with the method TRACE', execute([BEARER], '', 'TRACE /execute HTTP/1.1')],
  ])('runs nothing: %s', async (_, request) => {
    const before = runsOf('raw')
    const answer = await exchange(request)
    expect(statusesOf(answer).filter((status) => status < 400)).toEqual([])
    expect(answer).not.toContain(token)
    expect(runsOf('raw')).toBe(before)
  })

  it('with the method CONNECT leads nowhere', async () => {
    let met = 0
    const { port, stop } = await listen(createServer(() => met++))
    const before = runsOf('raw')
    // Local workerd says 200 in front of static assets, and then nothing.
    await exchange(execute([BEARER], execute([], ''), `CONNECT 127.0.0.1:${port} HTTP/1.1`))
    expect([met, runsOf('raw')]).toEqual([0, before])
    await stop()
  })

  it.each(['//execute', '/execute/', '/EXECUTE', '/execute%00', '/health/..%2fexecute', '*'])(
    'is not answered at the address %s',
    async (address) => {
      const body = bodyOf('return "ran"')
      const lines = [BEARER, `Content-Length: ${body.length}`]
      const answer = await exchange(execute(lines, body, `POST ${address} HTTP/1.1`))
      expect(answer).not.toContain('"ran"')
      expect(statusesOf(answer).filter((status) => status < 400)).toEqual([])
    },
  )

  it('with another host gets links that begin with it, and nobody else does', async () => {
    const body = bodyOf('return file.save("a.txt", "")')
    const lines = [BEARER, `Content-Length: ${body.length}`]
    const request = execute(lines, body)
    const answer = await exchange(request.replace('Host: 127.0.0.1', 'Host: evil.example'))
    expect(statusesOf(answer)).toEqual([200])
    expect(answer).toMatch(/^cache-control: no-store\r$/im)
    expect(await exchange(request)).not.toContain('evil.example')
  })
})

it('the service still answers', async () => {
  const response = await fetchAnew(`${worker.origin}/health`)
  expect(response.status).toBe(200)
})
