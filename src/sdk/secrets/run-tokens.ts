/** Access tokens of one run; concurrent calls share a request. */
import type { Ending } from '../../lib/abort.ts'
import type { RunLimits } from '../../limits.ts'
import type { ApiInfo, AuthRule } from '../catalog/catalog.ts'
import type { FetchAccessToken } from './credentials.ts'

export interface RunTokensOptions {
  readonly fetchAccessToken: FetchAccessToken
  readonly limits: RunLimits
  readonly ending: Ending
}

export class RunTokens {
  readonly #options: RunTokensOptions
  readonly #pending = new Map<string, Promise<string>>()
  readonly #refused = new Map<string, string>()

  constructor(options: RunTokensOptions) {
    this.#options = options
  }

  /** @throws {ApiError} `unauthorized` */
  async tokenOf(
    api: ApiInfo,
    rule: AuthRule & { readonly type: 'oauth2' },
    clientSecret: string,
  ): Promise<string> {
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

  #fetch(
    api: string,
    rule: AuthRule & { readonly type: 'oauth2' },
    clientSecret: string,
  ): Promise<string> {
    const { fetchAccessToken, ending, limits } = this.#options
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(limits.apiCallMs)])
    const refused = this.#refused.get(api)
    return fetchAccessToken({ api, rule, clientSecret, signal, refused })
  }
}
