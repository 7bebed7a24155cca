/** The app with sign-in, and a client, a person and a browser that use it. */
import { expect } from 'vitest'
import { toBase64url } from '../../src/lib/encode.ts'
import { sha256Hex } from '../../src/lib/crypto.ts'
import type { Scope } from '../../src/caller.ts'
import { makeApp, ORIGIN, type MakeAppOptions } from '../support/make-app.ts'

export const REDIRECT_URI = 'https://host.example/callback'
const RESOURCE = `${ORIGIN}/mcp`
export const SECRET = 'encrypts what sign-in hands out'
export const CLIENT = { client_name: 'Test host', redirect_uris: [REDIRECT_URI] }

export type Form = Readonly<Record<string, string | undefined>>

/** What a person sees, and what the browser keeps. */
export interface Consent {
  readonly response: Response
  readonly html: string
  readonly cookie: string
  readonly ticket: string
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
}

interface KeyOwner {
  readonly user?: string
  readonly scopes?: readonly Scope[]
}

export const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Of PKCE. */
export async function makeChallenge() {
  const verifier = toBase64url(crypto.getRandomValues(new Uint8Array(32)))
  const hash = await crypto.subtle.digest('SHA-256', bytesOf(verifier))
  return { verifier, challenge: toBase64url(new Uint8Array(hash)) }
}

/** @param owners By API key; by default alice has one. */
export async function makeSignIn(
  options: MakeAppOptions = {},
  owners: Readonly<Record<string, KeyOwner>> = { 'key of alice': { user: 'alice' } },
) {
  const tenant = `t-${crypto.randomUUID()}`
  const hashed = Object.entries(owners).map(async ([key, owner]) => [
    await sha256Hex(bytesOf(key)),
    { tenant, ...owner },
  ])
  const API_KEYS = JSON.stringify(Object.fromEntries(await Promise.all(hashed)))
  const env = { SIGN_IN: 'keys', SIGN_IN_SECRET: SECRET, API_KEYS, ...options.env }
  const made = await makeApp({ ...options, env })
  const { app } = made
  await made.leaks.hideTenant(tenant)

  const request = async (path: string, init: RequestInit = {}): Promise<Response> =>
    app.request(new URL(path, ORIGIN).href, init)

  const postForm = (path: string, form: Form, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams(
      Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
    return request(path, { method: 'POST', body, headers })
  }

  const postJson = (path: string, body: unknown) =>
    request(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    })

  /** Its id. */
  async function register(metadata: object = CLIENT): Promise<string> {
    const response = await postJson('/register', metadata)
    expect(response.status).toBe(201)
    return ((await response.json()) as { client_id: string }).client_id
  }

  /** Opens `/authorize` as a browser would; `undefined` leaves a parameter out. */
  async function open(parameters: Form, headers: Record<string, string> = {}): Promise<Response> {
    const { challenge } = await makeChallenge()
    const all: Form = {
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      resource: RESOURCE,
      state: 'of the host',
      ...parameters,
    }
    const given = Object.entries(all).filter(([, value]) => value !== undefined)
    const query = new URLSearchParams(given as [string, string][])
    return request(`/authorize?${query}`, { headers })
  }

  async function consentIn(response: Response): Promise<Consent> {
    const html = await response.text()
    const cookie = response.headers.getSetCookie().map((one) => one.split(';')[0]!)
    const ticket = /name="ticket" value="([^"]*)"/.exec(html)?.[1] ?? ''
    return { response, html, cookie: cookie.join('; '), ticket }
  }

  /** The consent page. */
  async function ask(parameters: Form): Promise<Consent> {
    const consent = await consentIn(await open(parameters))
    expect([consent.response.status, consent.html]).toEqual([200, expect.any(String)])
    return consent
  }

  /** Sends the form of the consent page. */
  const answer = ({ cookie, ticket }: Pick<Consent, 'cookie' | 'ticket'>, form: Form = {}) =>
    postForm(
      '/authorize',
      { ticket, choice: 'key', key: 'key of alice', ...form },
      { Cookie: cookie },
    )

  /** A code, and what the client needs to use it. */
  async function codeOf(parameters: Form = {}, form: Form = {}) {
    const client_id = parameters.client_id ?? (await register())
    const { verifier, challenge } = await makeChallenge()
    const consent = await ask({ client_id, code_challenge: challenge, ...parameters })
    const response = await answer(consent, form)
    expect(response.status).toBe(303)
    const to = new URL(response.headers.get('Location')!)
    const code = to.searchParams.get('code')!
    const redirect_uri = parameters.redirect_uri ?? REDIRECT_URI
    const use = { client_id, code, code_verifier: verifier, redirect_uri }
    return { grant_type: 'authorization_code', ...use }
  }

  const exchange = (form: Form) => postForm('/token', form)

  /** A whole sign-in. */
  async function signIn(parameters: Form = {}, form: Form = {}) {
    const use = await codeOf(parameters, form)
    const response = await exchange(use)
    expect(response.status).toBe(200)
    const tokens = (await response.json()) as Tokens
    made.leaks.hide('an access token', tokens.access_token)
    return { ...tokens, client_id: use.client_id }
  }

  const refresh = (client_id: string, refresh_token: string, more: Form = {}) =>
    exchange({ grant_type: 'refresh_token', client_id, refresh_token, ...more })

  /** The status of a request with a token. */
  async function statusWith(token: string, path = '/mcp'): Promise<number> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    }
    const isMcp = path === '/mcp'
    const response = await request(path, { headers, ...(isMcp && { method: 'POST', body }) })
    await response.body?.cancel()
    return response.status
  }

  const flows = { register, open, ask, consentIn, answer, codeOf, exchange, signIn, refresh }
  return { ...made, tenant, request, postForm, postJson, statusWith, ...flows }
}

/** Error and description of an OAuth error, with the status. */
export async function oauthErrorOf(response: Response): Promise<string> {
  const body = (await response.json()) as { error?: string; error_description?: string }
  return `${response.status} ${body.error}: ${body.error_description}`
}

/** The parameters with which a browser is sent to the client. */
export function redirectOf(response: Response): Record<string, string> {
  expect(response.status).toBe(303)
  const to = new URL(response.headers.get('Location')!)
  return { to: to.origin + to.pathname, ...Object.fromEntries(to.searchParams) }
}
