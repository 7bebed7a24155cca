/** What the configured APIs offer, compiled from their specifications; parsed when a script first asks. */

/** The sections of a compiled catalog as JSON text: those of one API are read without the others. */
export interface CatalogTexts {
  /** {@link ApiInfo}[] */
  readonly apis: string
  /** By API: {@link FunctionInfo}[] */
  readonly index: Readonly<Record<string, string>>
  /** By API: {@link CallEntry} by function, as {@link linesOf} writes them. */
  readonly calls: Readonly<Record<string, string>>
  /** By API: {@link TypeEntry} by name, likewise. */
  readonly types: Readonly<Record<string, string>>
}

/**
 * JSON with each entry on a line of its own, so that one is found and parsed without the thousand others: a run
 * that calls one function need not wait for a large API.
 */
export function linesOf(entries: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(entries).map(
    ([name, entry]) => `\n${JSON.stringify(name)}:${JSON.stringify(entry)}`,
  )
  return `{${lines.join(',')}\n}`
}

/** One API. */
export interface ApiInfo {
  /** As in `sdk.<name>`. */
  readonly name: string
  readonly title: string
  /** A sentence or two. */
  readonly description: string
  /** `mcp` is a server whose tools are found when it is asked. */
  readonly kind: 'openapi' | 'mcp'
  /** Without a slash at its end. Every request goes below it. */
  readonly baseUrl: string
  readonly auth?: AuthRule | undefined
  /** Whether callers may bring a credential of their own. */
  readonly takesCallerAuth?: boolean | undefined
  /** `null` for a server that nobody asked yet. */
  readonly functions: number | null
  /** For servers, whose tools are not known before they are asked: patterns of names, and whether tools may change things. */
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
  readonly canWrite?: boolean | undefined
}

/**
 * How a credential is sent. Secrets are names of settings, never values; an empty one stands where only callers
 * have a credential.
 */
export type AuthRule =
  | { readonly type: 'bearer'; readonly secret: string }
  | { readonly type: 'basic'; readonly username: string; readonly secret: string }
  | {
      readonly type: 'api_key'
      readonly in: 'header' | 'query' | 'cookie'
      readonly name: string
      readonly secret: string
    }
  /** Any header, such as `X-Auth: Token <secret>` with the prefix `Token `. */
  | {
      readonly type: 'header'
      readonly name: string
      readonly prefix?: string
      readonly secret: string
    }
  | {
      readonly type: 'oauth2'
      readonly tokenUrl: string
      readonly clientId: string
      readonly secret: string
      readonly scopes?: readonly string[]
    }

/** What search and lists show of a function. */
export interface FunctionInfo {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly tags?: readonly string[] | undefined
  readonly isDeprecated?: true | undefined
}

/** Everything it takes to call a function. */
export interface CallEntry {
  readonly method: string
  /** With `{name}` for each path parameter. */
  readonly path: string
  readonly params: readonly ParamEntry[]
  /** Where it is not made of the parameters: servers describe their tools in other ways. */
  readonly signature?: string | undefined
  readonly body?: BodyEntry | undefined
  /** A type's text, such as `Issue[]`. */
  readonly returns?: string | undefined
  /** Needs no credential, so none is sent. */
  readonly isPublic?: true | undefined
  readonly description?: string | undefined
}

/** One parameter; frozen ones are not in the list that scripts and models see. */
export interface ParamEntry {
  readonly name: string
  /** What scripts call it, where its name is taken by a parameter in another place. */
  readonly key?: string | undefined
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly isRequired?: true | undefined
  /** A type's text, such as `string` or `"open" | "closed"`. */
  readonly type: string
  /** As OpenAPI has it; absent means its default for the place. */
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
  /** Whether its value is written as JSON, whatever it is. */
  readonly isJson?: true | undefined
  /** What is checked before anything is sent. */
  readonly check?: ValueCheck | undefined
  /** Fixed by the operator. */
  readonly frozen?: string | undefined
  readonly description?: string | undefined
}

/** As much of a schema as is worth checking on this side. */
export interface ValueCheck {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | undefined
  readonly enum?: readonly (string | number | boolean)[] | undefined
}

/** The body of a request. */
export interface BodyEntry {
  /** What is sent unless the script chooses; JSON first where the API takes it. */
  readonly contentTypes: readonly string[]
  readonly isRequired?: true | undefined
  /** A type's text. */
  readonly type: string
  /** Names that must be there. */
  readonly required?: readonly string[] | undefined
  /** Names there are; absent allows any. */
  readonly fields?: readonly string[] | undefined
}

/** A named type of the API. */
export interface TypeEntry {
  /** TypeScript-like, with other types by name: `{ id: integer, user: User, labels?: Label[] }`. */
  readonly text: string
  readonly description?: string | undefined
}

/** Reads what is asked for, each once. */
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

  /** All of them, for those who search. */
  callsOf(api: string): Readonly<Record<string, CallEntry>> {
    return this.#parse(`calls ${api}`, () => this.#texts.calls[api] ?? '{}')
  }

  /** All of them, for those who look for a name. */
  typesOf(api: string): Readonly<Record<string, TypeEntry>> {
    return this.#parse(`types ${api}`, () => this.#texts.types[api] ?? '{}')
  }

  /** What is not there is not remembered: scripts make up as many names as they like. */
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

/** A line break stands in no JSON text but between the entries, so what is found is a name. */
function entryText(lines: string | undefined, name: string): string | undefined {
  const start = `\n${JSON.stringify(name)}:`
  const at = lines?.indexOf(start) ?? -1
  if (at < 0) return undefined
  const end = lines!.indexOf('\n', at + 1)
  return lines!.slice(at + start.length, end).replace(/,$/, '')
}
