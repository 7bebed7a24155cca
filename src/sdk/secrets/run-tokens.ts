/** The access tokens of one run: calls that run side by side wait for one and the same. */
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
  readonly #asked = new Map<string, Promise<string>>()
  readonly #refused = new Map<string, string>()

  constructor(options: RunTokensOptions) {
    this.#options = options
  }

  /** @throws {ApiError} `unauthorized` when there is none to be had. */
  async tokenOf(
    api: ApiInfo,
    rule: AuthRule & { readonly type: 'oauth2' },
    clientSecret: string,
  ): Promise<string> {
    const asked = this.#asked.get(api.name) ?? this.#fetch(api.name, rule, clientSecret)
    this.#asked.set(api.name, asked)
    try {
      return await asked
    } catch (error) {
      this.#asked.delete(api.name)
      throw error
    }
  }

  /** The API answered that it does not take the credential: the next call gets another token. */
  async refuse({ name }: ApiInfo): Promise<void> {
    const asked = this.#asked.get(name)
    if (!asked) return
    this.#asked.delete(name)
    this.#refused.set(name, await asked.catch(() => ''))
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
