/** What official clients make of a missing, a weak, an expired and a good token. */
import { afterAll, describe, expect, it } from 'vitest'
import { CODE, startAuthorizationServer } from './authorization-server.ts'
import { Login } from './login.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { makeApp, ORIGIN } from '../../support/make-app.ts'
import { startMcpApp } from './mcp-worker.ts'
import { TESTED_KINDS, type Access } from './official-clients.ts'

const TENANT = 'acme'
const RUN = { script: 'return 1' }

const issuer = await startAuthorizationServer(TENANT)
const service = await startMcpApp({ AUTH_ISSUER: issuer.address })

afterAll(async () => {
  await service.stop()
  await issuer.stop()
})

function failureOf(doing: Promise<unknown>): Promise<Error> {
  return doing.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as Error,
  )
}

describe.each(TESTED_KINDS)('$name', (kind) => {
  const unauthenticated = kind.generation === 1 ? { code: 401 } : { status: 401 }

  it('without a token is refused', async () => {
    const client = service.make(kind, {})
    expect(await failureOf(client.connect())).toMatchObject(unauthenticated)
  })

  it.each([
    ['an expired token', { exp: 1 }],
    ['a token of another issuer', { iss: 'https://elsewhere.example' }],
  ])('with %s is refused', async (_, claims) => {
    const connecting = service.connect(kind, { tenant: TENANT, ...claims })
    expect(await failureOf(connecting)).toMatchObject(unauthenticated)
  })

  it('with too small a scope learns which one it needs, and may do the rest', async () => {
    const client = await service.connect(kind, { tenant: TENANT, scope: 'files:read' })
    const failure = await failureOf(client.callTool('execute_script', RUN))
    expect(failure).toMatchObject(
      kind.generation === 1
        ? { code: 403, message: expect.stringContaining('lacks the scope \\"execute\\"') }
        : { name: 'InsufficientScopeError', requiredScope: 'execute' },
    )
    const { structuredContent } = await client.callTool('file_exists', { path: 'a' })
    expect(structuredContent).toMatchObject({ success: true })
  })

  it('finds out where to log in, does so and runs a script', async () => {
    const login = new Login()
    const sent: string[] = []
    const watching: typeof fetch = (input, init) => {
      sent.push(String(input))
      return fetchAnew(input, init)
    }
    const first = service.make(kind, { authProvider: login, fetch: watching })
    expect((await failureOf(first.connect())).constructor.name).toBe('UnauthorizedError')
    const metadata = `${service.origin}/.well-known/oauth-protected-resource/mcp`
    const metadataOfIssuer = `${issuer.address}/.well-known/oauth-authorization-server`
    expect(sent).toEqual([service.address, metadata, metadataOfIssuer])
    expect(await (await fetchAnew(metadata)).json()).toMatchObject({
      resource: service.address,
      authorization_servers: [issuer.address],
    })
    const [page] = login.visited
    expect([page!.origin, page!.pathname]).toEqual([issuer.address, '/authorize'])
    expect(page!.searchParams.get('resource')).toBe(service.address)
    expect(page!.searchParams.get('scope')).toBe('execute files:read files:write')

    await first.finishAuth(CODE)
    expect(issuer.asked.at(-1)!.get('resource')).toBe(service.address)
    const second = service.make(kind, { authProvider: login })
    await second.connect()
    const { structuredContent } = await second.callTool('execute_script', RUN)
    expect(structuredContent).toMatchObject({ result: 1 })
    expect(login.visited).toHaveLength(1)
  })

  it('asks a person for the scope it lacks', async () => {
    const scope = 'files:read'
    const login = new Login({
      access_token: await service.tokenOf({ tenant: TENANT, scope }),
      token_type: 'Bearer',
      scope,
      issuer: issuer.address,
    })
    const client = service.make(kind, { authProvider: login })
    await client.connect()
    const failure = await failureOf(client.callTool('execute_script', RUN))
    expect(failure.constructor.name).toBe('UnauthorizedError')
    const asked = login.visited.map((page) => page.searchParams.get('scope')!.split(' '))
    expect(asked).toEqual([expect.arrayContaining(['execute'])])
  })
})

const ADDRESS = `${ORIGIN}/mcp`

/** A host that begins by registering itself, as mcp-remote does. */
class Newcomer extends Login {
  override clientInformation(): never {
    return undefined as never
  }
  saveClientInformation(): void {}
}

async function makeExpired() {
  const { app, tokenOf } = await makeApp()
  const sent: string[] = []
  const watched: typeof fetch = async (input, init) => {
    const response = await app.request(String(input), init)
    sent.push(`${response.status} ${String(input)}`)
    return response
  }
  return { token: await tokenOf({ exp: 1 }), fetch: watched, sent }
}

describe.each(TESTED_KINDS)('$name where tokens are handed out by hand', (kind) => {
  const messageOf = async (access: Access) =>
    (await failureOf(kind.make(ADDRESS, access).connect())).message

  it('with a token in its settings says what is wrong, and looks nowhere else', async () => {
    const { token, fetch, sent } = await makeExpired()
    const isTold = kind.revision === '2025-11-25'
    expect(await messageOf({ token, fetch })).toContain(isTold ? 'The token has expired.' : '401')
    expect(sent).toEqual([`401 ${ADDRESS}`])
  })

  it('that insists on a login learns that there is none', async () => {
    const { token, fetch, sent } = await makeExpired()
    const authProvider = new Newcomer({ access_token: token, token_type: 'Bearer' })
    expect(await messageOf({ authProvider, fetch })).toContain('There is no login here.')
    expect(sent.shift()).toBe(`401 ${ADDRESS}`)
    expect(sent.filter((request) => !request.startsWith('404 '))).toEqual([])
  })
})
