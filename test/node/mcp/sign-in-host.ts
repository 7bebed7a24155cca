/** A host that signs in at the service itself, and the person who lets it. */
import type { OAuthClientInformationMixed, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { Login } from './login.ts'

export const KEY = 'the API key of a person'

/** Settings that let the holder of {@link KEY} sign in. */
export async function signInVars(tenant: string): Promise<Record<string, string>> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(KEY))
  const API_KEYS = JSON.stringify({
    [Buffer.from(digest).toString('hex')]: { tenant, user: 'ann' },
  })
  return { SIGN_IN: 'keys', SIGN_IN_SECRET: 'encrypts what sign-in hands out', API_KEYS }
}

/** Registers itself, or has a document if given one. */
export class Host extends Login {
  readonly clientMetadataUrl?: string
  #registered: OAuthClientInformationMixed | undefined

  constructor(clientMetadataUrl?: string) {
    super()
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
  }

  override clientInformation(): { client_id: string } {
    return this.#registered as { client_id: string }
  }

  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.#registered = information
  }

  state(): string {
    return 'of the host'
  }

  /** As after an hour. */
  spoilAccess(): void {
    const tokens = this.tokens()!
    this.saveTokens({ ...tokens, access_token: `${tokens.access_token}x` } as StoredOAuthTokens)
  }
}

/** Opens the page in a browser without scripts, enters the key, and returns where that leads. */
export async function allow(page: URL, send: typeof fetch): Promise<URL> {
  const shown = await send(page)
  const html = await shown.text()
  if (shown.status !== 200) throw new Error(`${shown.status}: ${html}`)
  const ticket = /name="ticket" value="([^"]*)"/.exec(html)![1]!
  const cookie = shown.headers.getSetCookie().map((one) => one.split(';')[0]!)
  const answer = await send(new URL('?', page), {
    method: 'POST',
    headers: { Cookie: cookie.join('; ') },
    body: new URLSearchParams({ ticket, choice: 'key', key: KEY }),
    redirect: 'manual',
  })
  if (answer.status !== 303) throw new Error(`${answer.status}: ${await answer.text()}`)
  return new URL(answer.headers.get('Location')!)
}
