/** Makes minimal catalogs for tests; omitted fields get working defaults. */
import {
  Catalog,
  linesOf,
  type ApiInfo,
  type CallEntry,
  type CatalogTexts,
  type ParamEntry,
  type TypeEntry,
} from '../../src/sdk/catalog/catalog.ts'

/** A function, with only the fields that matter to the test. */
type CallSketch = Partial<CallEntry> & {
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly isDeprecated?: true
}

/** An API, keyed by name. */
export type ApiSketch = Partial<Omit<ApiInfo, 'name'>> & {
  readonly calls?: Readonly<Record<string, CallSketch>>
  readonly types?: Readonly<Record<string, TypeEntry>>
}

export type ApiSketches = Readonly<Record<string, ApiSketch>>

/** What the compiler would write. */
export function catalogTexts(sketches: ApiSketches): CatalogTexts {
  const parts = Object.entries(sketches).map(([name, { calls = {}, types = {}, ...info }]) => {
    const index: object[] = []
    const entries: Record<string, CallEntry> = {}
    for (const [call, { summary = '', tags, isDeprecated, ...sketch }] of Object.entries(calls)) {
      const entry = callEntry({ path: `/${call}`, ...sketch })
      index.push({
        name: call,
        method: entry.method,
        path: entry.path,
        summary,
        tags,
        isDeprecated,
      })
      entries[call] = entry
    }
    const functions = info.kind === 'mcp' ? null : index.length
    const api = { name, title: name, description: '', kind: 'openapi', functions, ...info }
    return { name, api: { baseUrl: 'https://api.test', ...api }, index, entries, types }
  })
  const texts = (write: (part: (typeof parts)[number]) => string) =>
    Object.fromEntries(parts.map((part) => [part.name, write(part)]))
  return {
    apis: JSON.stringify(parts.map(({ api }) => api)),
    index: texts(({ index }) => JSON.stringify(index)),
    calls: texts(({ entries }) => linesOf(entries)),
    types: texts(({ types }) => linesOf(types)),
  }
}

export function makeCatalog(sketches: ApiSketches): Catalog {
  return new Catalog(catalogTexts(sketches))
}

export function callEntry(sketch: Partial<CallEntry> = {}): CallEntry {
  return { method: 'GET', path: '/', params: [], ...sketch }
}

export function apiInfo(sketch: Partial<ApiInfo> = {}): ApiInfo {
  const [info] = makeCatalog({ api: {} }).apis
  return { ...info!, ...sketch }
}

/** Defaults to a string; path parameters are required. */
function param(place: ParamEntry['in'], name: string, more: Partial<ParamEntry> = {}): ParamEntry {
  return { name, in: place, type: 'string', ...(place === 'path' && { isRequired: true }), ...more }
}

export const inPath = (name: string, more?: Partial<ParamEntry>) => param('path', name, more)
export const inQuery = (name: string, more?: Partial<ParamEntry>) => param('query', name, more)
export const inHeader = (name: string, more?: Partial<ParamEntry>) => param('header', name, more)
export const inCookie = (name: string, more?: Partial<ParamEntry>) => param('cookie', name, more)
