/** A minimal authorization server: it signs a token for any client with a valid code. */
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { answering } from '../../support/answering.ts'
import { listen } from '../../support/listen.ts'
import { signToken } from '../../support/sign-token.ts'

/** What it takes for a token. */
export const CODE = 'code-of-the-tests'

/** Tokens are of alice in this tenant, for the scopes that were asked for. */
export async function startAuthorizationServer(tenant: string) {
  /** What clients sent for a token, oldest first. */
  const asked: URLSearchParams[] = []
  const listener = answering(async (request, response) => {
    const answer = await answerTo(request)
    response.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(answer ?? {}))
  })
  const { origin: issuer, stop } = await listen(createServer(listener))

  async function answerTo(request: IncomingMessage): Promise<object | undefined> {
    if (request.url === '/.well-known/oauth-authorization-server') {
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      }
    }
    if (request.url !== '/token') return undefined
    const form = new URLSearchParams(await text(request))
    asked.push(form)
    if (form.get('code') !== CODE) return undefined
    const token = await signToken({ iss: issuer, aud: form.get('resource'), tenant, sub: 'alice' })
    return { access_token: token, token_type: 'Bearer' }
  }

  return { address: issuer, asked, stop }
}
