/** Turns a configured credential into an auth rule, checked against what the functions require. */
import { isHeaderName } from '../../../src/sdk/call/build-request.ts'
import type { AuthRule } from '../../../src/sdk/catalog/catalog.ts'
import { urlProblem } from './base-url.ts'
import type { Problems } from './problems.ts'
import type { AuthSettings, ApiSettings } from './settings.ts'
import type { SpecOperation } from './spec/operations.ts'
import {
  isNode,
  listAt,
  member,
  membersOf,
  nodeAt,
  textAt,
  type Spec,
  type SpecNode,
} from './spec/spec.ts'

interface Credential {
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

function fits(auth: AuthSettings, scheme: Scheme): boolean {
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
function adviceFor({ kind }: Scheme): string | undefined {
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

function describeScheme({ name, kind, in: place, key }: Scheme): string {
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

interface Scheme {
  readonly name: string
  /** `other` can only be served by naming the header. */
  readonly kind: 'bearer' | 'basic' | 'api_key' | 'oauth2' | 'open_id' | 'other'
  /** For API keys. */
  readonly in?: 'header' | 'query' | 'cookie' | undefined
  readonly key?: string | undefined
  /** For client credentials. */
  readonly tokenUrl?: string | undefined
}

interface Requirement {
  /** Alternatives; empty if the specification does not say. */
  readonly sets: readonly (readonly string[])[]
  /** Declared to need none. */
  readonly isPublic: boolean
}

function schemesOf(spec: Spec): Scheme[] {
  const { document, isSwagger } = spec
  const at = isSwagger ? 'securityDefinitions' : 'components.securitySchemes'
  const all = isSwagger
    ? member(document, 'securityDefinitions')
    : member(nodeAt(document, 'components'), 'securitySchemes')
  return membersOf(all).flatMap(([name, value]) => {
    const node = spec.find(value, `${at}.${name}`)?.node
    return node ? [schemeOf(name, node)] : []
  })
}

/** An operation's own list replaces the document's. */
export function requirementOf({ document }: Spec, { node }: SpecOperation): Requirement {
  const own = member(node, 'security')
  const list = Array.isArray(own) ? own : listAt(document, 'security')
  const sets = list.filter(isNode).map((set) => Object.keys(set))
  const isPublic = Array.isArray(own) && sets.every((set) => set.length === 0)
  return { sets, isPublic }
}

function schemeOf(name: string, node: SpecNode): Scheme {
  switch (textAt(node, 'type')?.toLowerCase()) {
    case 'basic':
      return { name, kind: 'basic' }
    case 'http': {
      const scheme = textAt(node, 'scheme')?.toLowerCase()
      const isKnown = scheme === 'bearer' || scheme === 'basic'
      return { name, kind: isKnown ? scheme : 'other' }
    }
    case 'apikey': {
      const place = textAt(node, 'in')
      const key = textAt(node, 'name')
      const isKnown = place === 'header' || place === 'query' || place === 'cookie'
      return isKnown && key ? { name, kind: 'api_key', in: place, key } : { name, kind: 'other' }
    }
    case 'oauth2': {
      const { flow } = node
      const flows = nodeAt(node, 'flows')
      const tokenUrl =
        flow === 'application'
          ? textAt(node, 'tokenUrl')
          : textAt(member(flows, 'clientCredentials'), 'tokenUrl')
      return { name, kind: 'oauth2', tokenUrl }
    }
    case 'openidconnect':
      return { name, kind: 'open_id' }
    default:
      return { name, kind: 'other' }
  }
}

/** Fails the build: without the credential, calls would fail later with less to go on. */
export function apiSecurity(
  spec: Spec,
  chosen: readonly SpecOperation[],
  { auth, caller_auth: takesCallerAuth }: ApiSettings,
  at: string,
  settings: Problems,
): AuthRule | undefined {
  const schemes = schemesOf(spec)
  const needed = chosen.flatMap((operation) => {
    const { sets, isPublic } = requirementOf(spec, operation)
    const isOptional = sets.some((set) => set.length === 0)
    return isPublic || sets.length === 0 || isOptional ? [] : [{ operation, sets }]
  })
  const required = new Set(needed.flatMap(({ sets }) => sets.flat()))
  const wanted = [...schemes.filter(({ name }) => required.has(name)), ...schemes].find(
    (scheme) => adviceFor(scheme) !== undefined,
  )
  const rule = authRule({ auth, takesCallerAuth, at }, schemes, wanted, settings)
  if (!auth && !takesCallerAuth) {
    if (needed.length > 0) settings.error(at, missing(needed.length, schemes, required, wanted))
    return undefined
  }
  if (auth && rule) {
    const isServed = (set: readonly string[]) =>
      set.every((name) => schemes.some((scheme) => scheme.name === name && fits(auth, scheme)))
    const [first, ...others] = needed.filter(({ sets }) => !sets.some(isServed))
    if (first) {
      const more = others.length > 0 ? ` and ${others.length} more` : ''
      const names = first.sets.map((set) => set.join(' with ')).join(' or ')
      spec.problems.warn(first.operation.at, `asks for ${names}, which is not configured${more}`)
    }
  }
  return rule
}

function missing(
  count: number,
  schemes: readonly Scheme[],
  required: ReadonlySet<string>,
  wanted: Scheme | undefined,
): string {
  const known = schemes.filter(({ name }) => required.has(name)).map(describeScheme)
  const names = (known.length > 0 ? known : [...required]).join(', ')
  const advice =
    (wanted && adviceFor(wanted)) ?? 'auth = { type = "bearer", secret = "NAME_OF_A_SETTING" }'
  const functions = count === 1 ? 'one function needs' : `${count} functions need`
  return `${functions} a credential (${names}): add ${advice}, or caller_auth = true`
}
