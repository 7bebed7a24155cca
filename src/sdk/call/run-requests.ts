/**
 * Sends one run's requests within its budget; adds credentials, and redacts them from responses.
 */
import type { RunApisOptions } from './run-apis.ts'
import { ApiBudget, send, type OnBytes, type ApiResponse } from './send.ts'
import type { ApiRequest } from './build-request.ts'
import type { ApiInfo } from '../catalog/catalog.ts'
import { addCredential } from '../secrets/credentials.ts'
import { Redactor } from '../secrets/redact.ts'
import type { RequestBody } from './request-body.ts'
import { RunTokens } from '../secrets/access-tokens.ts'

type RunRequestsOptions = Omit<RunApisOptions, 'catalog' | 'toolLists'>

export interface RequestExtras {
  /** No credential is sent. */
  readonly isPublic?: boolean | undefined
  /** Inspects the body as it arrives, for streams that end with a known message. */
  readonly watch?: ((headers: Headers) => OnBytes) | undefined
}

export class RunRequests {
  /** Knows every secret sent so far. */
  readonly redactor = new Redactor()
  readonly #options: RunRequestsOptions
  readonly #budget: ApiBudget
  readonly #tokens: RunTokens

  constructor(options: RunRequestsOptions) {
    this.#options = options
    this.#budget = new ApiBudget(options.limits)
    this.#tokens = new RunTokens(options)
  }

  /** @throws {ApiError} {@link LimitReached} */
  async send(
    name: string,
    api: ApiInfo,
    request: ApiRequest,
    body: RequestBody | undefined,
    { isPublic, watch }: RequestExtras = {},
  ): Promise<ApiResponse> {
    const { secretOf, callerAuth } = this.#options
    if (!isPublic) {
      await addCredential(request, api, {
        secretOf,
        callerAuth,
        accessTokenOf: this.#tokens.tokenOf.bind(this.#tokens),
        redactor: this.redactor,
      })
    }
    const options = { ...this.#options, budget: this.#budget, watch }
    const received = await send(name, request, body, options)
    if (received.status === 401) await this.#tokens.refuse(api)
    return this.#redacted(received)
  }

  #redacted(received: ApiResponse): ApiResponse {
    const headers = new Headers(received.headers)
    const type = headers.get('Content-Type')
    if (type !== null) headers.set('Content-Type', this.redactor.text(type))
    return { ...received, headers, bytes: this.redactor.bytes(received.bytes) }
  }
}
