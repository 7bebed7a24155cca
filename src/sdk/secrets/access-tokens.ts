/**
 * OAuth 2.0 client-credentials tokens: cached until they expire, and shared by the calls of a run.
 */
import { ApiError } from '../call/api-error.ts'
import type { FetchAccessToken } from './credentials.ts'
import { assertMayReach } from '../call/may-reach.ts'
import { readCapped } from '../call/read-capped.ts'
import type { ApiInfo, OAuthRule } from '../catalog/catalog.ts'
import type { RunApisOptions } from '../call/run-apis.ts'

/** Renewed early: a token must outlast the call it is used for. */
const MARGIN_MS = 30_000
const DEFAULT_LIFETIME_S = 300
const MAX_GRANT_BYTES = 65_536

type AccessTokenOptions = Pick<RunApisOptions, 'fetch' | 'allowsLoopback'> & {
  readonly now: () => Date
}

/** Made once. Caches tokens, not promises: a workerd request cannot await another's. */
export function accessTokens({ fetch, allowsLoopback, now }: AccessTokenOptions): FetchAccessToken {
  const cache = new Map<string, { readonly token: string; readonly endsAt: number }>()
  return async function fetchAccessToken({ api, rule, clientSecret, signal, refused }) {
    const key = JSON.stringify([rule.tokenUrl, rule.clientId, rule.scopes])
    const cached = cache.get(key)
    const isFresh = cached && cached.endsAt > now().getTime() && cached.token !== refused
    if (isFresh) return cached.token

    assertMayReach(api, new URL(rule.tokenUrl), allowsLoopback)
    const form = new URLSearchParams({ grant_type: 'client_credentials' })
    if (rule.scopes?.length) form.set('scope', rule.scopes.join(' '))
    const credential = `${encodeURIComponent(rule.clientId)}:${encodeURIComponent(clientSecret)}`
    const granted = await fetch(rule.tokenUrl, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(credential)}`, Accept: 'application/json' },
      body: form,
      redirect: 'manual',
      signal,
    })
      .then((answer) => (answer.ok ? readGrant(answer) : undefined))
      // The error may contain the URL or the client id.
      .catch(() => undefined)
    if (!granted) throw new ApiError('unauthorized', `${api}: could not get an access token`)
    const endsAt = now().getTime() + granted.lifetimeS * 1000 - MARGIN_MS
    cache.set(key, { token: granted.token, endsAt })
    return granted.token
  }
}

async function readGrant(answer: Pick<Response, 'body'>) {
  let length = 0
  const bytes = await readCapped(answer.body ?? [], (piece) => {
    length += piece.length
    if (length > MAX_GRANT_BYTES) throw new Error('the grant is too large')
  })
  const grant = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown> | null
  const { access_token: token, expires_in: lifetime } = grant ?? {}
  if (typeof token !== 'string' || token === '') return undefined
  const lifetimeS = Number(lifetime)
  return { token, lifetimeS: lifetimeS > 0 ? lifetimeS : DEFAULT_LIFETIME_S }
}

type RunTokensOptions = Pick<RunApisOptions, 'fetchAccessToken' | 'limits' | 'requests' | 'ending'>

export class RunTokens {
  readonly #options: RunTokensOptions
  readonly #pending = new Map<string, Promise<string>>()
  readonly #refused = new Map<string, string>()

  constructor(options: RunTokensOptions) {
    this.#options = options
  }

  /** @throws {ApiError} `unauthorized` */
  async tokenOf(api: ApiInfo, rule: OAuthRule, clientSecret: string): Promise<string> {
    const pending = this.#pending.get(api.name) ?? this.#fetch(api.name, rule, clientSecret)
    this.#pending.set(api.name, pending)
    try {
      return await pending
    } catch (error) {
      this.#pending.delete(api.name)
      throw error
    }
  }

  /** After a 401: the next call fetches a new token. */
  async refuse({ name }: ApiInfo): Promise<void> {
    const pending = this.#pending.get(name)
    if (!pending) return
    this.#pending.delete(name)
    this.#refused.set(name, await pending.catch(() => ''))
  }

  #fetch(api: string, rule: OAuthRule, clientSecret: string): Promise<string> {
    const { fetchAccessToken, ending, limits, requests } = this.#options
    requests?.count(1)
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(limits.apiCallMs)])
    const refused = this.#refused.get(api)
    return fetchAccessToken({ api, rule, clientSecret, signal, refused })
  }
}
