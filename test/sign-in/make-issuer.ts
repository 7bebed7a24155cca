/** An issuer of OpenID Connect, in place of `fetch`, and a person who signs in there. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, vi } from 'vitest'
import type { MakeAppOptions } from '../support/make-app.ts'
import { makeSignIn } from './make-sign-in.ts'

export const CALLBACK = 'https://moonbucket.test/authorize/callback'

/** What the issuer does other than it should. */
export interface IssuerFaults {
  readonly metadata?: object
  readonly claims?: Readonly<Record<string, unknown>>
  readonly status?: number
  readonly isDown?: boolean
}

/** The metadata is cached, so each has an address of its own. */
export async function makeIssuer(faults: IssuerFaults = {}, options: MakeAppOptions = {}) {
  const issuer = `https://${crypto.randomUUID()}.example`
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }
  const asked: { form: URLSearchParams; authorization: string | null }[] = []
  /** By code. */
  const nonces = new Map<string, string>()

  async function idToken(nonce: string | undefined): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const standard = { iss: issuer, aud: 'moonbucket', iat: now, exp: now + 60, nonce }
    const claims = { ...standard, sub: 'alice', tenant: 'acme', ...faults.claims }
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey)
  }

  vi.stubGlobal('fetch', async (input: string | URL, init: RequestInit = {}) => {
    if (faults.isDown) throw new TypeError('fetch failed')
    const address = String(input)
    if (address === `${issuer}/.well-known/openid-configuration`) {
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/login?of=us`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        ...faults.metadata,
      })
    }
    if (address === `${issuer}/keys`) return Response.json({ keys: [jwk] })
    expect(address).toBe(`${issuer}/token`)
    const form = new URLSearchParams(String(init.body))
    asked.push({ form, authorization: new Headers(init.headers).get('Authorization') })
    const { status = 200 } = faults
    if (status !== 200) return Response.json({ error: 'invalid_grant' }, { status })
    return Response.json({ id_token: await idToken(nonces.get(form.get('code')!)) })
  })

  const env = {
    SIGN_IN: 'issuer',
    AUTH_ISSUER: issuer,
    SIGN_IN_CLIENT_ID: 'moonbucket',
    SIGN_IN_CLIENT_SECRET: 'known to the issuer: ä',
    ...options.env,
  }
  const made = await makeSignIn({ ...options, env })

  /** Consents, and is sent to the issuer. */
  async function leave(parameters: Record<string, string> = {}) {
    const client_id = parameters.client_id ?? (await made.register())
    const consent = await made.ask({ client_id, ...parameters })
    const response = await made.answer(consent, { choice: 'issuer', key: '' })
    const html = await response.text()
    const href = /<a href="([^"]*)"/.exec(html)?.[1]?.replaceAll('&#38;', '&') ?? ''
    const kept = response.headers.getSetCookie().map((one) => one.split(';')[0]!)
    const cookie = [consent.cookie, ...kept].join('; ')
    return { client_id, response, html, cookie, login: new URL(href, 'https://none.example') }
  }

  /** Signs in at the issuer, which sends the browser back. */
  async function comeBack(
    { login, cookie }: Pick<Awaited<ReturnType<typeof leave>>, 'login' | 'cookie'>,
    more: Record<string, string> = {},
  ) {
    const code = crypto.randomUUID()
    nonces.set(code, login.searchParams.get('nonce')!)
    const state = login.searchParams.get('state')!
    const query = new URLSearchParams({ code, state, ...more })
    return made.request(`/authorize/callback?${query}`, { headers: { Cookie: cookie } })
  }

  return { ...made, issuer, asked, leave, comeBack }
}
