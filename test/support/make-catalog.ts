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
  const entries = Object.entries(sketches)
  const apis = entries.map(([name, { calls = {}, types: _types, ...info }]) => ({
    name,
    title: name,
    description: '',
    kind: 'openapi',
    baseUrl: 'https://api.test',
    functions: info.kind === 'mcp' ? null : Object.keys(calls).length,
    ...info,
  }))
  const texts = (write: (sketch: ApiSketch) => string) =>
    Object.fromEntries(entries.map(([name, sketch]) => [name, write(sketch)]))
  return {
    apis: JSON.stringify(apis),
    index: texts(({ calls = {} }) =>
      JSON.stringify(
        Object.entries(calls).map(([name, { summary = '', tags, isDeprecated, ...call }]) => ({
          name,
          method: call.method ?? 'GET',
          path: call.path ?? `/${name}`,
          summary,
          tags,
          isDeprecated,
        })),
      ),
    ),
    calls: texts(({ calls = {} }) =>
      linesOf(
        Object.fromEntries(
          Object.entries(calls).map(
            ([name, { summary: _summary, tags: _tags, isDeprecated: _isDeprecated, ...call }]) => [
              name,
              callEntry({ path: `/${name}`, ...call }),
            ],
          ),
        ),
      ),
    ),
    types: texts(({ types = {} }) => linesOf(types)),
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
