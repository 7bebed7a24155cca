/** A specification's security schemes. */
import type { Operation } from './spec/list-operations.ts'
import type { Spec } from './spec/spec.ts'
import {
  isNode,
  listAt,
  member,
  membersOf,
  nodeAt,
  textAt,
  type SpecNode,
} from './spec/spec-node.ts'

export interface Scheme {
  readonly name: string
  /** `other` can only be served by naming the header. */
  readonly kind: 'bearer' | 'basic' | 'api_key' | 'oauth2' | 'open_id' | 'other'
  /** For API keys. */
  readonly in?: 'header' | 'query' | 'cookie' | undefined
  readonly key?: string | undefined
  /** For client credentials. */
  readonly tokenUrl?: string | undefined
}

export interface Requirement {
  /** Alternatives; empty if the specification does not say. */
  readonly sets: readonly (readonly string[])[]
  /** Declared to need none. */
  readonly isPublic: boolean
}

export function schemesOf(spec: Spec): Scheme[] {
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
export function requirementOf({ document }: Spec, { node }: Operation): Requirement {
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
