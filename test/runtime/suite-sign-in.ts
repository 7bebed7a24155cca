/** Official clients sign in at the service itself, from a 401 to a tool call, and renew their tokens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allow, Host, signInVars } from '../node/mcp/sign-in-host.ts'
import { CLIENT_KINDS, type ClientKind } from '../node/mcp/official-clients.ts'
import { fetchAnew } from '../support/fetch-anew.ts'
import { START_MS, VARS, type Runtime, type StartRuntime } from './runtime.ts'

export function describeSignIn(name: string, start: StartRuntime): void {
  describe(`${name}, signing in`, () => {
    const tenant = `t-${crypto.randomUUID()}`
    let runtime: Runtime | undefined

    beforeAll(async () => {
      runtime = await start({ ...VARS, ...(await signInVars(tenant)) })
    }, START_MS)

    afterAll(() => runtime?.stop())

    it.each(CLIENT_KINDS)('with $name', async (kind) => {
      const { origin, events } = runtime!
      await signInAndCall(kind, origin, fetchAnew)
      const signedIn = events.filter((event) => event.event === 'sign_in')
      expect(signedIn.at(-1)).toMatchObject({ tenant, user: 'ann', op: 'refresh' })
    })
  })
}

/** The whole flow of one client. */
export async function signInAndCall(
  kind: ClientKind,
  origin: string,
  send: typeof fetch,
  host = new Host(),
): Promise<void> {
  const access = { authProvider: host, fetch: send }
  const first = kind.make(`${origin}/mcp`, access)
  await expect(first.connect()).rejects.toMatchObject({ name: expect.any(String) })
  const [page] = host.visited
  expect([page!.origin, page!.pathname]).toEqual([origin, '/authorize'])
  const answer = await allow(page!, send)
  expect(answer.href).toMatch(/^http:\/\/127\.0\.0\.1\/callback\?code=/)
  const { code, iss, state } = Object.fromEntries(answer.searchParams)
  expect([iss, state]).toEqual([origin, 'of the host'])
  await first.finishAuth(code!, iss)

  const second = kind.make(`${origin}/mcp`, access)
  await second.connect()
  const run = { script: 'return 6 * 7' }
  const { structuredContent } = await second.callTool('execute_script', run)
  expect(structuredContent).toMatchObject({ result: 42 })
  const before = host.tokens()!
  host.spoilAccess()
  const again = await second.callTool('execute_script', run)
  expect(again.structuredContent).toMatchObject({ result: 42 })
  expect(host.tokens()!.refresh_token).not.toBe(before.refresh_token)
  expect(host.visited).toHaveLength(1)
  await Promise.all([first.close(), second.close()])
}
