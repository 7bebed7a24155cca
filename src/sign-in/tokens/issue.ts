/** The codes and tokens of sign-in, and what is in them. */
import { toHex } from '../../lib/encode.ts'
import { REFRESH_S } from '../../operations/sign-in/sign-in-store.ts'
import type { AuthorizationRequest } from '../authorize/authorization-request.ts'
import { resourceOf, type SignInContext } from '../sign-in-context.ts'
import type { Grant } from './grant.ts'
import { seal } from './sealed.ts'

const ACCESS_S = 3600
const CODE_S = 60

/** Common to all tokens of one sign-in. */
interface SignInClaims {
  /** Of the sign-in: what a revocation ends. */
  readonly family: string
  /** SHA-256 of the client's id. */
  readonly client: string
  readonly scope: string
  readonly grant: Grant
}

export type AccessClaims = SignInClaims

export interface RefreshClaims extends SignInClaims {
  readonly jti: string
}

export interface CodeClaims extends RefreshClaims {
  readonly redirectUri: string
  readonly challenge: string
}

/** @param request Its scopes are those granted. */
export function issueCode(
  ctx: SignInContext,
  { client, redirectUri, challenge, scopes }: AuthorizationRequest,
  grant: Grant,
): Promise<string> {
  const claims: CodeClaims = {
    jti: newId(),
    family: newId(),
    client,
    scope: scopes.join(' '),
    grant,
    redirectUri,
    challenge,
  }
  return seal(ctx, 'code', { ...claims }, { ttlS: CODE_S })
}

/** The response of the token endpoint. */
export async function issueTokens(
  ctx: SignInContext,
  { family, client, scope, grant }: SignInClaims,
  refreshScope = scope,
) {
  const audience = resourceOf(ctx.baseUrl)
  const access: AccessClaims = { family, client, scope, grant }
  const refresh: RefreshClaims = { jti: newId(), family, client, scope: refreshScope, grant }
  return {
    access_token: await seal(ctx, 'access', { ...access }, { ttlS: ACCESS_S, audience }),
    token_type: 'Bearer',
    expires_in: ACCESS_S,
    refresh_token: await seal(ctx, 'refresh', { ...refresh }, { ttlS: REFRESH_S }),
    scope,
  }
}

export function newId(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(16)))
}
