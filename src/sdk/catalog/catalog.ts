/** The configured APIs, compiled from their specifications; parsed on first use. */

/** Sections as JSON text, per API so that one is parsed without the others. */
export interface CatalogTexts {
  /** {@link ApiInfo}[] */
  readonly apis: string
  /** By API: {@link FunctionInfo}[] */
  readonly index: Readonly<Record<string, string>>
  /** By API: {@link CallEntry} by function, as {@link linesOf} writes them. */
  readonly calls: Readonly<Record<string, string>>
  /** By API: {@link TypeEntry} by name, as {@link linesOf} writes them. */
  readonly types: Readonly<Record<string, string>>
}

/**
 * JSON with one entry per line, so that one can be found and parsed alone: calling one function
 * must not wait for a large API.
 */
export function linesOf(entries: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(entries).map(
    ([name, entry]) => `\n${JSON.stringify(name)}:${JSON.stringify(entry)}`,
  )
  return `{${lines.join(',')}\n}`
}

export interface ApiInfo {
  /** As in `sdk.<name>`. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** `mcp`: a server that lists its tools at run time. */
  readonly kind: 'openapi' | 'mcp'
  /** Without a trailing slash. Every request stays below it. */
  readonly baseUrl: string
  readonly auth?: AuthRule | undefined
  /** Callers may send their own credential. */
  readonly takesCallerAuth?: boolean | undefined
  /** Where its redirects may lead, and where `sdk.download` may fetch from. */
  readonly downloadHosts?: readonly string[] | undefined
  /** `null` for an MCP server, not known before it is asked. */
  readonly functions: number | null
  /** Filters on MCP tools: name globs, and whether tools may write. */
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
  readonly canWrite?: boolean | undefined
}

/**
 * How a credential is sent. `secret` names a setting, never its value; empty if only callers have
 * one.
 */
export type AuthRule = { readonly secret: string } & (
  | { readonly type: 'bearer' }
  | { readonly type: 'basic'; readonly username: string }
  | {
      readonly type: 'api_key'
      readonly in: 'header' | 'query' | 'cookie'
      readonly name: string
    }
  /** E.g. `X-Auth: Token <secret>` with the prefix `Token `. */
  | { readonly type: 'header'; readonly name: string; readonly prefix?: string }
  | {
      readonly type: 'oauth2'
      readonly tokenUrl: string
      readonly clientId: string
      readonly scopes?: readonly string[]
    }
)

export type OAuthRule = AuthRule & { readonly type: 'oauth2' }

/** Listed and searched. */
export interface FunctionInfo {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly tags?: readonly string[] | undefined
  readonly isDeprecated?: true | undefined
}

/** What a call needs. */
export interface CallEntry {
  readonly method: string
  /** With `{name}` for each path parameter. */
  readonly path: string
  readonly params: readonly ParamEntry[]
  /** Given for MCP tools; otherwise derived from the parameters. */
  readonly signature?: string | undefined
  readonly body?: BodyEntry | undefined
  /** A type's text, such as `Issue[]`. */
  readonly returns?: string | undefined
  /** No credential is sent. */
  readonly isPublic?: true | undefined
  readonly description?: string | undefined
}

/** Frozen parameters are hidden from scripts and models. */
export interface ParamEntry {
  readonly name: string
  /** The name in scripts, where a parameter elsewhere has the same name. */
  readonly key?: string | undefined
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly isRequired?: true | undefined
  /** A type's text, such as `string` or `"open" | "closed"`. */
  readonly type: string
  /** OpenAPI's; absent means the default for `in`. */
  readonly style?:
    | 'form'
    | 'simple'
    | 'label'
    | 'matrix'
    | 'spaceDelimited'
    | 'pipeDelimited'
    | 'deepObject'
    | undefined
  readonly explode?: boolean | undefined
  /** Serialised as JSON. */
  readonly isJson?: true | undefined
  readonly check?: ValueCheck | undefined
  /** Of a page number that does not start at 1. */
  readonly firstPage?: 0 | undefined
  /** Fixed by the operator. */
  readonly frozen?: string | undefined
  readonly description?: string | undefined
}

/** The part of a schema checked before sending. */
export interface ValueCheck {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | undefined
  readonly enum?: readonly (string | number | boolean)[] | undefined
}

export interface BodyEntry {
  /** The first is the default; JSON first if the API takes it. */
  readonly contentTypes: readonly string[]
  readonly isRequired?: true | undefined
  /** A type's text. */
  readonly type: string
  readonly required?: readonly string[] | undefined
  /** Absent allows any. */
  readonly fields?: readonly string[] | undefined
}

export interface TypeEntry {
  /** TypeScript-like, referring to other types by name: `{ id: integer, user: User }`. */
  readonly text: string
  readonly description?: string | undefined
}

/** Parses each entry once, on demand. */
export class Catalog {
  readonly #texts: CatalogTexts
  readonly #parsed = new Map<string, unknown>()

  constructor(texts: CatalogTexts) {
    this.#texts = texts
  }

  get apis(): readonly ApiInfo[] {
    return this.#parse('apis', () => this.#texts.apis)
  }

  functionsOf(api: string): readonly FunctionInfo[] {
    return this.#parse(`index ${api}`, () => this.#texts.index[api] ?? '[]')
  }

  callOf(api: string, name: string): CallEntry | undefined {
    return this.#parse(`calls ${api} ${name}`, () => entryText(this.#texts.calls[api], name))
  }

  typeOf(api: string, name: string): TypeEntry | undefined {
    return this.#parse(`types ${api} ${name}`, () => entryText(this.#texts.types[api], name))
  }

  callsOf(api: string): Readonly<Record<string, CallEntry>> {
    return this.#parse(`calls ${api}`, () => this.#texts.calls[api] ?? '{}')
  }

  typesOf(api: string): Readonly<Record<string, TypeEntry>> {
    return this.#parse(`types ${api}`, () => this.#texts.types[api] ?? '{}')
  }

  /** Misses are not cached: scripts can make up any number of names. */
  #parse<T>(key: string, find: () => string | undefined): T {
    const known = this.#parsed.get(key)
    if (known !== undefined) return known as T
    const text = find()
    if (text === undefined) return undefined as T
    const parsed: unknown = JSON.parse(text)
    this.#parsed.set(key, parsed)
    return parsed as T
  }
}

/** JSON escapes line breaks, so one can only stand before an entry's name. */
function entryText(lines: string | undefined, name: string): string | undefined {
  const start = `\n${JSON.stringify(name)}:`
  const at = lines?.indexOf(start) ?? -1
  if (at < 0) return undefined
  const end = lines!.indexOf('\n', at + 1)
  return lines!.slice(at + start.length, end).replace(/,$/, '')
}
