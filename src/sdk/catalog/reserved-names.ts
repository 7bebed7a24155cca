/** Parameters that a specification may list but scripts must not set: credentials and framing. */
import type { ApiInfo, AuthRule, CallEntry, ParamEntry } from './catalog.ts'

const HEADERS = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
])

type Place = Pick<ParamEntry, 'in' | 'name'>

/** Parameters that a script may set. */
export function openParams(api: ApiInfo, { params }: CallEntry): ParamEntry[] {
  return params.filter((param) => param.frozen === undefined && !isReserved(api, param))
}

/** Whether the operator fixed this query parameter, or the credential uses it. */
export function isFixedInQuery({ auth }: ApiInfo, { params }: CallEntry, name: string): boolean {
  const frozen = params.filter((param) => param.in === 'query' && param.frozen !== undefined)
  const fixed = [...frozen, ...(auth ? [placeOf(auth)] : [])].filter((one) => one.in === 'query')
  return fixed.some((one) => isSameInQuery(one.name, name))
}

function isReserved({ auth }: ApiInfo, param: Place): boolean {
  const lower = param.name.toLowerCase()
  if (param.in === 'header' && (HEADERS.has(lower) || /^(?:proxy|sec)-/.test(lower))) return true
  if (!auth) return false
  const own = placeOf(auth)
  if (own.in !== param.in) return false
  return own.in === 'query' ? isSameInQuery(own.name, param.name) : own.name.toLowerCase() === lower
}

function placeOf(auth: AuthRule): Place {
  switch (auth.type) {
    case 'api_key':
      return auth
    case 'header':
      return { in: 'header', name: auth.name }
    default:
      return { in: 'header', name: 'Authorization' }
  }
}

/** Some servers ignore case, and some read `a[]` or `a[0]` as `a`. */
function isSameInQuery(fixed: string, name: string): boolean {
  const own = fixed.toLowerCase()
  const other = name.trim().toLowerCase()
  return other === own || other.startsWith(`${own}[`)
}
