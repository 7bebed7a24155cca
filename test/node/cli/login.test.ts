/** Signing in by OAuth, against a small authorization server: what is sent, and what is refused. */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { listen, type Listening } from '../../support/listen.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { runCliWith } from './cli-process.ts'

let service: Listening
let folder: string
/** What the server changes of its answers. */
let wrong: { state?: string; issuer?: string; refusesRefresh?: boolean; lifetime?: number }
let grants: Record<string, string>[]
let accepted: string
let challenge: string | undefined

beforeEach(async () => {
  folder = tempFolder()
  wrong = {}
  grants = []
  accepted = 'access-1'
  service = await listen(createServer((request, response) => void answer(request, response)))
})

afterEach(() => service.stop())

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { origin } = service
  const send = (status: number, body: object, headers: Record<string, string> = {}) =>
    void response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(JSON.stringify(body))
  const { pathname, searchParams } = new URL(request.url!, origin)
  const body = await text(request)
  switch (pathname) {
    case '/.well-known/oauth-protected-resource':
      return send(200, { resource: `${origin}/mcp`, authorization_servers: [`${origin}/as`] })
    case '/.well-known/oauth-authorization-server/as':
      return send(200, {
        issuer: wrong.issuer ?? `${origin}/as`,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
      })
    case '/register':
      return send(201, { client_id: 'client-1', ...(JSON.parse(body) as object) })
    case '/authorize': {
      challenge = searchParams.get('code_challenge') ?? undefined
      const back = new URL(searchParams.get('redirect_uri')!)
      back.searchParams.set('code', 'code-1')
      back.searchParams.set('state', wrong.state ?? searchParams.get('state')!)
      return send(302, {}, { Location: back.href })
    }
    case '/token': {
      const grant = Object.fromEntries(new URLSearchParams(body))
      grants.push(grant)
      if (grant.grant_type === 'refresh_token') {
        if (wrong.refusesRefresh) return send(400, { error: 'invalid_grant' })
        accepted = 'access-2'
      }
      const count = accepted.at(-1)
      const { lifetime = 3600 } = wrong
      return send(200, {
        access_token: accepted,
        token_type: 'Bearer',
        refresh_token: `refresh-${count}`,
        expires_in: lifetime,
      })
    }
    default: {
      const isKnown = request.headers.authorization === `Bearer ${accepted}`
      if (isKnown) return send(200, {})
      return send(401, { error: { code: 'unauthenticated', message: 'No.' } })
    }
  }
}

const env = () => ({ XDG_CONFIG_HOME: join(folder, 'config') })
const moonbucket = (...args: string[]) => runCliWith({ folder, env: env() }, ...args)

/** Opens the address that is shown, as a person's browser would. */
async function login() {
  let opened: Promise<Response> | undefined
  const onError = (shown: string) => {
    const [address] = /http:\/\/\S+/.exec(shown) ?? []
    if (address !== undefined) opened = fetch(address)
  }
  const ended = await runCliWith({ folder, env: env(), onError }, 'login', service.origin)
  return { ...ended, page: await (await opened)?.text() }
}

const stored = () =>
  JSON.parse(readFileSync(join(folder, 'config/moonbucket/profiles.json'), 'utf8')) as {
    profiles: { default: { oauth: { accessToken: string; refreshToken: string } } }
  }

it('shows an address, takes the code and stores the tokens', async () => {
  const { exitCode, stdout, stderr, page } = await login()
  expect([exitCode, stdout]).toEqual([0, `Signed in to ${service.origin}.\n`])
  expect(page).toContain('close this page')
  expect(stderr + stdout).not.toMatch(/access-|refresh-/)
  const [grant] = grants
  const verifier = grant!.code_verifier!
  expect(grant).toEqual({
    grant_type: 'authorization_code',
    code: 'code-1',
    client_id: 'client-1',
    resource: `${service.origin}/mcp`,
    redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    code_verifier: verifier,
  })
  expect(createHash('sha256').update(verifier).digest('base64url')).toBe(challenge)
  expect(stored().profiles.default.oauth).toMatchObject({ accessToken: 'access-1' })
  expect((await moonbucket('whoami')).stdout).toContain('by sign-in: accepted')
})

it('refreshes a token that has expired, or that the service refuses, and keeps the new one', async () => {
  wrong.lifetime = 1
  await login()
  expect((await moonbucket('whoami')).exitCode).toBe(0)
  expect(grants.map(({ grant_type, refresh_token }) => [grant_type, refresh_token])).toEqual([
    ['authorization_code', undefined],
    ['refresh_token', 'refresh-1'],
  ])
  expect(stored().profiles.default.oauth).toMatchObject({
    accessToken: 'access-2',
    refreshToken: 'refresh-2',
  })
})

it('says that a session is over', async () => {
  await login()
  wrong.refusesRefresh = true
  accepted = 'access-9'
  const stderr = 'moonbucket: the sign-in gave no token (invalid_grant); sign in again\n'
  expect(await moonbucket('whoami')).toEqual({ exitCode: 2, stdout: '', stderr })
})

it('refuses an answer to another request', async () => {
  wrong.state = 'another'
  const { exitCode, stderr } = await login()
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('answered another request')])
  expect(grants).toEqual([])
})

it('refuses metadata of another issuer', async () => {
  wrong.issuer = 'https://example.com'
  const { exitCode, stderr } = await login()
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('does not say how to sign in')])
})
