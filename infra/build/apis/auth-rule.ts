/** Turns a configured credential into an auth rule, checked against the security schemes. */
import { isHeaderName } from '../../../src/sdk/call/build-request.ts'
import type { AuthRule } from '../../../src/sdk/catalog/catalog.ts'
import { urlProblem } from './base-url.ts'
import type { Problems } from './problems.ts'
import type { Scheme } from './security-schemes.ts'
import type { AuthSettings } from './settings.ts'

export interface Credential {
  readonly auth: AuthSettings | undefined
  /** Callers may send their own. */
  readonly takesCallerAuth: boolean
  /** Path of the table in the settings. */
  readonly at: string
}

/**
 * @param schemes Empty if unknown: then the settings are trusted.
 *
 * @param wanted The scheme to use if only callers have a credential.
 */
export function authRule(
  { auth, takesCallerAuth, at }: Credential,
  schemes: readonly Scheme[],
  wanted: Scheme | undefined,
  settings: Problems,
): AuthRule | undefined {
  if (!auth) return takesCallerAuth ? callerRule(wanted) : undefined
  const authAt = `${at}.auth`
  if (auth.secret === undefined && !takesCallerAuth) {
    settings.error(authAt, 'needs a secret: the name of a setting that holds the credential')
  }
  const fitting = schemes.filter((scheme) => fits(auth, scheme))
  if (schemes.length > 0 && fitting.length === 0) {
    const known = schemes.map(describeScheme).join(', ')
    const advice = schemes.map(adviceFor).find((text) => text !== undefined)
    settings.error(
      authAt,
      `type "${auth.type}" fits no security scheme of the specification, which has ${known}${advice ? `: write ${advice}` : ''}`,
    )
    return undefined
  }
  return ruleOf(auth, fitting, authAt, settings)
}

export function fits(auth: AuthSettings, scheme: Scheme): boolean {
  const isToken = ['bearer', 'oauth2', 'open_id'].includes(scheme.kind)
  // Many specifications describe tokens and passwords by their header.
  const isHeader = scheme.kind === 'api_key' && scheme.in === 'header'
  const isAuthorization = isHeader && scheme.key!.toLowerCase() === 'authorization'
  switch (auth.type) {
    case 'bearer':
    case 'oauth2':
      return isToken || isAuthorization
    case 'basic':
      return scheme.kind === 'basic' || isAuthorization
    case 'header':
      return auth.name.toLowerCase() === 'authorization'
        ? scheme.kind !== 'api_key' || isAuthorization
        : isHeader && scheme.key!.toLowerCase() === auth.name.toLowerCase()
    case 'api_key':
      return (
        scheme.kind === 'api_key' &&
        (auth.in ?? scheme.in) === scheme.in &&
        (auth.name ?? scheme.key!).toLowerCase() === scheme.key!.toLowerCase()
      )
  }
}

/** A suggested setting, if any would help. */
export function adviceFor({ kind }: Scheme): string | undefined {
  switch (kind) {
    case 'api_key':
      return 'auth = { type = "api_key", secret = "NAME_OF_A_SETTING" }'
    case 'basic':
      return 'auth = { type = "basic", username = "…", secret = "NAME_OF_A_SETTING" }'
    case 'bearer':
    case 'oauth2':
    case 'open_id':
      return 'auth = { type = "bearer", secret = "NAME_OF_A_SETTING" }'
    case 'other':
      return undefined
  }
}

export function describeScheme({ name, kind, in: place, key }: Scheme): string {
  return kind === 'api_key' ? `${name} (api_key in ${place} "${key}")` : `${name} (${kind})`
}

function ruleOf(
  auth: AuthSettings,
  fitting: readonly Scheme[],
  at: string,
  settings: Problems,
): AuthRule | undefined {
  const { secret = '' } = auth
  switch (auth.type) {
    case 'bearer':
      return { type: 'bearer', secret }
    case 'basic':
      return { type: 'basic', username: auth.username, secret }
    case 'header':
      return {
        type: 'header',
        name: auth.name,
        ...(auth.prefix !== undefined && { prefix: auth.prefix }),
        secret,
      }
    case 'api_key': {
      const [only, ...others] = fitting
      if (others.length > 0) {
        settings.error(
          at,
          `ambiguous: set in and name to one of ${fitting.map(describeScheme).join(', ')}`,
        )
      }
      const place = only?.in ?? auth.in
      const name = only?.key ?? auth.name
      if (!place || !name) {
        settings.error(at, 'set in and name to say where the key goes')
        return undefined
      }
      if (place !== 'query' && !isHeaderName(name)) {
        settings.error(at, `${JSON.stringify(name)} is not a ${place} name`)
      }
      return { type: 'api_key', in: place, name, secret }
    }
    case 'oauth2': {
      const tokenUrl = auth.token_url ?? fitting.find((scheme) => scheme.tokenUrl)?.tokenUrl
      const problem = tokenUrl === undefined ? 'set token_url' : urlProblem(tokenUrl.split('?')[0]!)
      if (problem) settings.error(`${at}.token_url`, problem)
      if (problem || tokenUrl === undefined) return undefined
      const { client_id: clientId, scopes } = auth
      return { type: 'oauth2', tokenUrl, clientId, secret, ...(scopes && { scopes }) }
    }
  }
}

/** For callers' credentials only. */
function callerRule(scheme: Scheme | undefined): AuthRule {
  if (scheme?.kind === 'basic') return { type: 'basic', username: '', secret: '' }
  if (scheme?.kind === 'api_key' && scheme.key!.toLowerCase() !== 'authorization') {
    return { type: 'api_key', in: scheme.in!, name: scheme.key!, secret: '' }
  }
  return { type: 'bearer', secret: '' }
}
