/** What official clients make of an expired token where tokens are handed out by hand. */
import { describe, expect, it } from 'vitest'
import { makeApp, ORIGIN } from '../../support/make-app.ts'
import { Login } from './login.ts'
import { TESTED_KINDS, type Access } from './official-clients.ts'

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

describe.each(TESTED_KINDS)('$name', (kind) => {
  const failureOf = (access: Access) =>
    kind
      .make(ADDRESS, access)
      .connect()
      .then(
        () => expect.fail('it did not fail'),
        (error: Error) => error.message,
      )

  it('with a token in its settings says what is wrong, and looks nowhere else', async () => {
    const { token, fetch, sent } = await makeExpired()
    const isTold = kind.revision === '2025-11-25'
    expect(await failureOf({ token, fetch })).toContain(isTold ? 'The token has expired.' : '401')
    expect(sent).toEqual([`401 ${ADDRESS}`])
  })

  it('that insists on a login is told that there is none', async () => {
    const { token, fetch, sent } = await makeExpired()
    const authProvider = new Newcomer({ access_token: token, token_type: 'Bearer' })
    expect(await failureOf({ authProvider, fetch })).toContain('There is no login here.')
    expect(sent.shift()).toBe(`401 ${ADDRESS}`)
    expect(sent.filter((request) => !request.startsWith('404 '))).toEqual([])
  })
})
