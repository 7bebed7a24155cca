/** Holds the credential an operator configured against what the specification asks for. */
import type { AuthRule } from '../../../src/sdk/catalog/catalog.ts'
import { problemOf } from './base-url.ts'
import type { Problems } from './problems.ts'
import type { Scheme } from './security-schemes.ts'
import { isHeaderName, type AuthSettings } from './settings.ts'

/** How an API's credential is configured. */
export interface Credential {
  readonly auth: AuthSettings | undefined
  /** Whether callers may bring their own. */
  readonly takesCallerAuth: boolean
  /** The table in the settings. */
  readonly at: string
}

/**
 * The rule, where there is a credential to send.
 *
 * @param schemes Empty where nothing is said of them: then the operator is believed.
 * @param wanted The scheme to go by when only callers have a credential.
 */
export function authRule(
  { auth, takesCallerAuth, at }: Credential,
  schemes: readonly Scheme[],
  wanted: Scheme | undefined,
  settings: Problems,
): AuthRule | undefined {
  if (!auth) return takesCallerAuth ? callersRule(wanted) : undefined
  const authAt = `${at}.auth`
  if (auth.secret === undefined && !takesCallerAuth) {
    settings.error(authAt, 'needs a secret: the name of a setting that holds the credential')
  }
  const fitting = schemes.filter((scheme) => fits(auth, scheme))
  if (schemes.length > 0 && fitting.length === 0) {
    const known = schemes.map(described).join(', ')
    const advice = schemes.map(adviceFor).find((text) => text !== undefined)
    settings.error(
      authAt,
      `type "${auth.type}" fits no security scheme of the specification, which has ${known}${advice ? `: write ${advice}` : ''}`,
    )
    return undefined
  }
  return ruleOf(auth, fitting, authAt, settings)
}

/** Whether a credential of this kind is what a scheme asks for. */
export function fits(auth: AuthSettings, scheme: Scheme): boolean {
  const isToken = ['bearer', 'oauth2', 'open_id'].includes(scheme.kind)
  // Many describe tokens and passwords by the header they travel in.
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

/** What to write into the settings for a scheme; `undefined` when nothing would help. */
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

/** A scheme for people. */
export function described({ name, kind, in: place, key }: Scheme): string {
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
        settings.error(at, `set in and name, for there are ${fitting.map(described).join(', ')}`)
      }
      const place = only?.in ?? auth.in
      const name = only?.key ?? auth.name
      if (!place || !name) {
        settings.error(at, 'set in and name: nothing else says where the key goes')
        return undefined
      }
      if (place !== 'query' && !isHeaderName(name)) {
        settings.error(at, `${JSON.stringify(name)} is no name of a ${place}`)
      }
      return { type: 'api_key', in: place, name, secret }
    }
    case 'oauth2': {
      const tokenUrl = auth.token_url ?? fitting.find((scheme) => scheme.tokenUrl)?.tokenUrl
      const problem = tokenUrl === undefined ? 'set token_url' : problemOf(tokenUrl.split('?')[0]!)
      if (problem) settings.error(`${at}.token_url`, problem)
      if (problem || tokenUrl === undefined) return undefined
      const { client_id: clientId, scopes } = auth
      return { type: 'oauth2', tokenUrl, clientId, secret, ...(scopes && { scopes }) }
    }
  }
}

/** Without a secret of ours: it takes a caller's. */
function callersRule(scheme: Scheme | undefined): AuthRule {
  if (scheme?.kind === 'basic') return { type: 'basic', username: '', secret: '' }
  if (scheme?.kind === 'api_key' && scheme.key!.toLowerCase() !== 'authorization') {
    return { type: 'api_key', in: scheme.in!, name: scheme.key!, secret: '' }
  }
  return { type: 'bearer', secret: '' }
}
