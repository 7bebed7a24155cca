/** A server with a wrong setting does not start, and says in one line which one it is. */
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { exitOf, spawnNode, untilListening } from '../../runtime/start-node.ts'
import { everyNth } from '../../support/tier.ts'
import { listen } from '../../support/listen.ts'
import { SECRETS } from '../../support/sign-token.ts'

const GOOD = {
  ...SECRETS,
  S3_BUCKET: 'files',
  S3_ENDPOINT: 'http://127.0.0.1:9',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
}

describe('the start fails', () => {
  const HOST = 'HOST: must be an address or a name of this machine, such as 0.0.0.0'
  const PORT = 'PORT: must be a number from 0 to 65535'
  const MISTAKES: [vars: Record<string, string>, line: string][] = [
    [{ STORAGE: 'r2' }, 'STORAGE: must be s3 or folder here'],
    [{ PORT: '80a' }, PORT],
    [{ PORT: '65536' }, PORT],
    [{ PORT: '-1' }, PORT],
    [{ HOST: 'http://127.0.0.1' }, HOST],
    [{ HOST: 'two words' }, HOST],
    [{ HOST: '1::2::3' }, HOST],
    [{ HOST: '203.0.113.1' }, 'HOST: must be an address or a name of this machine (EADDRNOTAVAIL)'],
  ]

  it.each(everyNth(4, MISTAKES))('with %j', async (vars, line) => {
    const child = await spawnNode({ ...GOOD, ...vars })
    child.stdout!.resume()
    expect(await exitOf(child)).toEqual({ code: 1, stderr: `${line}\n` })
  })

  it('without any settings, and says all that is missing', async () => {
    const child = await spawnNode({})
    child.stdout!.resume()
    const { code, stderr } = await exitOf(child)
    expect([code, ...stderr.trim().split('\n')]).toEqual([
      1,
      'LINK_SECRET: is required',
      'AUTH_SECRET: one of AUTH_SECRET, AUTH_JWKS_URL and API_KEYS is required',
      'S3_BUCKET: is required with STORAGE=s3',
    ])
  })

  it('on a port that is in use', async () => {
    const { port, stop } = await listen(createServer())
    const child = await spawnNode({ ...GOOD, PORT: String(port) })
    const line = `PORT: ${port} is in use; choose another\n`
    child.stdout!.resume()
    expect(await exitOf(child)).toEqual({ code: 1, stderr: line })
    await stop()
  })
})

describe('the address it tells', () => {
  const ADDRESSES: [vars: Record<string, string>, origin: RegExp][] = [
    [{}, /^http:\/\/127\.0\.0\.1:\d+$/],
    [{ HOST: 'localhost' }, /^http:\/\/localhost:\d+$/],
    [{ HOST: '0.0.0.0' }, /^http:\/\/0\.0\.0\.0:\d+$/],
  ]

  it.each(everyNth(3, ADDRESSES))('with %j answers', async (vars, origin) => {
    const node = await untilListening(await spawnNode({ ...GOOD, ...vars }))
    expect(node.origin).toMatch(origin)
    const response = await fetch(`${node.origin}/health`)
    expect(await response.json()).toEqual({ status: 'ok' })
    await node.stop()
  })
})

it('a store that does not answer does not keep it from starting, but from being ready', async () => {
  const node = await untilListening(await spawnNode(GOOD))
  const response = await fetch(`${node.origin}/health/ready`)
  expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '10'])
  await node.stop()
})
