/** Resolves the names that scripts write to APIs and functions. */
import { RaisedInLua } from '../../vm/raise.ts'
import type { ApiInfo, CallEntry, Catalog } from './catalog.ts'
import { didYouMean, quoteName } from './nearest.ts'

export interface FoundFunction {
  readonly api: ApiInfo
  readonly entry: CallEntry
  /** Qualified: `api.function`. */
  readonly name: string
}

/** @throws {RaisedInLua} with the nearest names. */
export function findName(
  catalog: Catalog,
  name: string,
): { readonly api: string } | { readonly function: string } {
  if (catalog.apis.some((api) => api.name === name)) return { api: name }
  // A server's tools are resolved when called.
  if (serverOf(catalog, name)) return { function: name }
  return { function: findFunction(catalog, name).name }
}

/** @throws {RaisedInLua} with the nearest names. */
export function findFunction(catalog: Catalog, name: string): FoundFunction {
  const { apis } = catalog
  const dot = name.indexOf('.')
  if (dot >= 0) {
    const api = apis.find((candidate) => candidate.name === name.slice(0, dot))
    if (!api) throw unknownApi(catalog, name.slice(0, dot))
    const own = name.slice(dot + 1)
    const entry = catalog.callOf(api.name, own)
    if (entry) return { api, entry, name }
    const names = catalog.functionsOf(api.name).map((info) => info.name)
    const near = didYouMean(own, names)
    throw new RaisedInLua(`the API ${api.name} has no function ${quoteName(own)}${near}`)
  }
  const holders = apis.flatMap((api) => {
    const entry = catalog.callOf(api.name, name)
    return entry ? [{ api, entry, name: `${api.name}.${name}` }] : []
  })
  const [only, ...others] = holders
  if (only && others.length === 0) return only
  if (!only) throw unknownApi(catalog, name)
  const choices = holders.map((holder) => `sdk.${holder.name}`).join(', ')
  throw new RaisedInLua(`several APIs have a function ${quoteName(name)}: ${choices}`)
}

/** The MCP server that qualifies a name. */
export function serverOf({ apis }: Catalog, name: string): ApiInfo | undefined {
  return apis.find((api) => api.kind === 'mcp' && name.startsWith(`${api.name}.`))
}

function unknownApi({ apis }: Catalog, name: string): RaisedInLua {
  const names = apis.map((api) => api.name)
  const near = didYouMean(name, names)
  const hint = near || `; APIs: ${names.join(', ')}`
  return new RaisedInLua(`unknown API or function ${quoteName(name)}${hint}`)
}
