/**
 * Sends one run's requests within its budget; adds credentials, and redacts them from responses.
 */
import type { RunApisOptions } from './run-apis.ts'
import { ApiBudget } from './api-budget.ts'
import type { OnBytes } from './read-capped.ts'
import { send, type ApiResponse, type OpenResponse } from './send.ts'
import type { ApiRequest } from './build-request.ts'
import type { ApiInfo } from '../catalog/catalog.ts'
import { addCredential } from '../secrets/credentials.ts'
import { Redactor } from '../secrets/redact.ts'
import type { RequestBody } from './request-body.ts'
import { RunTokens } from '../secrets/access-tokens.ts'

type RunRequestsOptions = Omit<RunApisOptions, 'catalog' | 'toolLists' | 'secrets'>

export interface RequestExtras {
  /** No credential is sent. */
  readonly isPublic?: boolean | undefined
  /** Inspects the body as it arrives, for streams that end with a known message. */
  readonly watch?: ((headers: Headers) => OnBytes) | undefined
  /** Ends the request before the run does. */
  readonly signal?: AbortSignal | undefined
}

export class RunRequests {
  /** Knows every secret sent so far. */
  readonly redactor = new Redactor()
  readonly budget: ApiBudget
  readonly #options: RunRequestsOptions
  readonly #tokens: RunTokens

  constructor(options: RunRequestsOptions) {
    this.#options = options
    this.budget = new ApiBudget(options.limits, options.requests)
    this.#tokens = new RunTokens(options)
  }

  /** @throws {ApiError} {@link LimitReached} */
  async send(...call: Parameters<RunRequests['open']>): Promise<ApiResponse> {
    return (await this.open(...call)).whole()
  }

  /** @throws {ApiError} {@link LimitReached} */
  async open(
    name: string,
    api: ApiInfo,
    request: ApiRequest,
    body: RequestBody | undefined,
    { isPublic, ...extras }: RequestExtras = {},
  ): Promise<OpenResponse> {
    const { secretOf, callerAuth } = this.#options
    if (!isPublic) {
      await addCredential(request, api, {
        secretOf,
        callerAuth,
        accessTokenOf: this.#tokens.tokenOf.bind(this.#tokens),
        redactor: this.redactor,
      })
    }
    const received = await this.#open(name, request, body, api.downloadHosts, extras)
    if (received.status === 401) await this.#tokens.refuse(api)
    return received
  }

  /** Without credentials. @param url Checked by the caller. */
  download(name: string, url: URL, hosts: readonly string[]): Promise<OpenResponse> {
    const request = { method: 'GET', url, headers: new Headers({ 'User-Agent': 'moonbucket' }) }
    return this.#open(name, request, undefined, hosts)
  }

  async #open(
    name: string,
    request: ApiRequest,
    body: RequestBody | undefined,
    downloadHosts: readonly string[] | undefined,
    extras: Omit<RequestExtras, 'isPublic'> = {},
  ): Promise<OpenResponse> {
    const { budget, redactor } = this
    const holdsSecret = (text: string) => redactor.text(text) !== text
    const options = { ...this.#options, ...extras, budget, downloadHosts, holdsSecret }
    const received = await send(name, request, body, options)
    const headers = new Headers(received.headers)
    const type = headers.get('Content-Type')
    if (type !== null) headers.set('Content-Type', redactor.text(type))
    return {
      ...received,
      headers,
      body: () => redactor.stream(received.body()),
      whole: async (isForVm) => {
        const whole = await received.whole(isForVm)
        return { ...whole, headers, bytes: redactor.bytes(whole.bytes) }
      },
    }
  }
}
