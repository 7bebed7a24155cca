/** Documents of clients over real connections: one that is slow, and one that redirects. */
import { createServer } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { publicFetch } from '../../../src/lib/node-fetch.ts'
import { createApp } from '../../../src/app.ts'
import { listen } from '../../support/listen.ts'
import { makeSignIn, REDIRECT_URI } from '../../sign-in/make-sign-in.ts'

const asked: string[] = []
const server = await listen(
  createServer((request, response) => {
    asked.push(request.url!)
    if (request.url === '/moved.json') {
      return response.writeHead(302, { Location: '/good.json' }).end()
    }
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const client_id = `http://${request.headers.host}${request.url}`
    const document = JSON.stringify({ client_id, redirect_uris: [REDIRECT_URI] })
    // A byte now and then keeps the connection alive for ever.
    if (request.url === '/slow.json') {
      const timer = setInterval(() => response.write(' '), 100)
      response.on('close', () => clearInterval(timer))
    } else response.end(document)
  }),
)

afterAll(() => server.stop())

async function statusFor(path: string): Promise<number> {
  const { service } = await makeSignIn({ env: { APIS_ALLOW_LOOPBACK: 'true' } })
  const app = createApp({ service: { ...service, fetchPublic: publicFetch(true) } })
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: `${server.origin}${path}`,
    redirect_uri: REDIRECT_URI,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  })
  return (await app.request(`https://moonbucket.test/authorize?${query}`)).status
}

it('a good one is read', async () => {
  expect(await statusFor('/good.json')).toBe(200)
})

it('one that redirects is refused, and nothing is followed', async () => {
  asked.length = 0
  expect(await statusFor('/moved.json')).toBe(400)
  expect(asked).toEqual(['/moved.json'])
})

it('one that never ends is given up after three seconds', async () => {
  const before = performance.now()
  expect(await statusFor('/slow.json')).toBe(400)
  expect(performance.now() - before).toBeLessThan(6_000)
})
