/** What the handlers of sign-in depend on. */
import type { SignInConfig } from '../config.ts'
import type { FindApiKey } from '../operations/keys/find-api-key.ts'
import type { Service } from '../operations/service.ts'
import type { Attempts } from './attempts.ts'

/** Of one request. */
export interface SignInContext {
  readonly service: Service
  readonly signIn: SignInConfig
  readonly findApiKey: FindApiKey
  /** The service's URL without a trailing slash: the issuer of its tokens. */
  readonly baseUrl: string
  readonly requestId: string
  readonly attempts: Attempts
  /** Of the client, for counting its attempts. */
  readonly address: string
}

/** What access tokens are for: their audience. */
export function resourceOf(baseUrl: string): string {
  return `${baseUrl}/mcp`
}
