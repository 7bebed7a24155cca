/** The requests of one run: within its budget, with its credentials, and without them in what comes back. */
import type { Ending } from '../../lib/abort.ts'
import type { RunLimits } from '../../limits.ts'
import { ApiBudget } from './budget.ts'
import type { ApiRequest } from './build-request.ts'
import type { ApiInfo } from '../catalog/catalog.ts'
import {
  addCredential,
  type CallerCredential,
  type FetchAccessToken,
} from '../secrets/credentials.ts'
import type { OnBytes } from './read-capped.ts'
import { Redactor } from '../secrets/redact.ts'
import type { RequestBody } from './request-body.ts'
import { RunTokens } from '../secrets/run-tokens.ts'
import { send, type ReceivedAnswer } from './send.ts'

/** The world outside, and what one run may take of it. */
export interface RunRequestsOptions {
  /** The value of a secret by its name. */
  secretOf(name: string): string | undefined
  readonly fetch: typeof fetch
  /** Whether APIs on this machine may be called. */
  readonly allowsLoopback: boolean
  readonly fetchAccessToken: FetchAccessToken
  readonly limits: RunLimits
  readonly callerAuth: ReadonlyMap<string, CallerCredential>
  readonly ending: Ending
}

/** What is special about a request. */
export interface RequestManner {
  /** Needs no credential, so none is sent. */
  readonly isPublic?: boolean | undefined
  /** Looks at what has arrived of an answer, for those that say when they are complete. */
  readonly watch?: ((headers: Headers) => OnBytes) | undefined
}

export class RunRequests {
  /** Knows every secret that was sent so far. */
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
    { isPublic, watch }: RequestManner = {},
  ): Promise<ReceivedAnswer> {
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
    return this.#cleaned(received)
  }

  #cleaned(received: ReceivedAnswer): ReceivedAnswer {
    const headers = new Headers(received.headers)
    const type = headers.get('Content-Type')
    if (type !== null) headers.set('Content-Type', this.redactor.text(type))
    return { ...received, headers, bytes: this.redactor.bytes(received.bytes) }
  }
}
