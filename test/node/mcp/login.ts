/** The host of a client as OAuth sees it: it keeps what it is given, and is sent where a person would log in. */
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'

export class Login implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1/callback'
  readonly clientMetadata = { redirect_uris: [this.redirectUrl] }
  /** Where a person would have been asked. */
  readonly visited: URL[] = []
  #tokens: StoredOAuthTokens | undefined
  #discovered: OAuthDiscoveryState | undefined
  #verifier = ''

  constructor(tokens?: StoredOAuthTokens) {
    this.#tokens = tokens
  }

  clientInformation() {
    return { client_id: 'tests' }
  }

  tokens() {
    return this.#tokens
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens
  }

  redirectToAuthorization(address: URL): void {
    this.visited.push(address)
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state
  }

  discoveryState() {
    return this.#discovered
  }
}
