/** Types of a compiled API as LuaLS writes them: `{ id: integer, tags: Tag[] } | null`. */
import { isLuaName } from '../../sdk/catalog/names.ts'

/** A name that the reader does not know becomes `any`. */
export type NameOf = (name: string) => string | undefined

interface ObjectType {
  readonly fields: readonly ObjectField[]
}

interface ObjectField {
  /** As in a table type or after `@field`. */
  readonly key: string
  readonly type: string
}

const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|(-?\d[\w.+-]*)|([A-Za-z_]\w*)|(\[\])|(.))/suy
const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  true: 'true',
  false: 'false',
  null: 'nil',
  object: 'table',
  file: 'string',
  binary: 'string',
  date: 'string',
  datetime: 'string',
}
/** Types are cut before; this bounds what is not from our compiler. */
const MAX_DEPTH = 50

export function luaTypeOf(text: string, nameOf: NameOf): string {
  return new TypeReader(text, nameOf).whole() ?? 'any'
}

/** The fields of a type that is an object and nothing else. */
export function fieldsIn(text: string, nameOf: NameOf): readonly ObjectField[] | undefined {
  return new TypeReader(text, nameOf).object()?.fields
}

class Unreadable extends Error {}

class TypeReader {
  readonly #tokens: string[] = []
  readonly #nameOf: NameOf
  #at = 0
  #depth = 0

  constructor(text: string, nameOf: NameOf) {
    this.#nameOf = nameOf
    for (const match of text.matchAll(new RegExp(TOKEN, 'suyg'))) {
      this.#tokens.push(match[0].trim())
    }
  }

  whole(): string | undefined {
    return this.#read(() => this.#union())
  }

  object(): ObjectType | undefined {
    return this.#read(() => {
      this.#needs('{')
      return this.#fields()
    })
  }

  /** `undefined` unless all of the text is read. */
  #read<T>(read: () => T): T | undefined {
    try {
      const found = read()
      return this.#at === this.#tokens.length ? found : undefined
    } catch (error) {
      if (error instanceof Unreadable) return undefined
      throw error
    }
  }

  /** LuaLS has no intersections: their parts are offered as a union. */
  #union(): string {
    if (++this.#depth > MAX_DEPTH) throw new Unreadable()
    const parts = new Set<string>()
    do {
      if (this.#takes('…')) continue
      parts.add(this.#one())
    } while (this.#takes('|') || this.#takes('&'))
    this.#depth--
    if (parts.size === 0 || parts.has('any')) return 'any'
    return [...parts].join('|')
  }

  #one(): string {
    let type = this.#base()
    while (this.#takes('[]')) type = type.includes('|') ? `(${type})[]` : `${type}[]`
    return type
  }

  #base(): string {
    const token = this.#tokens[this.#at++] ?? ''
    if (token === '(') {
      const inner = this.#union()
      this.#needs(')')
      return inner.includes('|') ? `(${inner})` : inner
    }
    if (token === '{') return tableOf(this.#fields())
    if (token.startsWith('"')) return literalOf(token)
    if (/^-?\d/.test(token)) return /^-?\d+$/.test(token) ? token : 'number'
    if (!/^[A-Za-z_]/.test(token)) throw new Unreadable()
    return PLAIN[token] ?? this.#nameOf(token) ?? 'any'
  }

  /** After `{`. */
  #fields(): ObjectType {
    const fields: ObjectField[] = []
    while (!this.#takes('}')) {
      if (!this.#takes('…')) fields.push(this.#field())
      if (this.#takes(',')) continue
      this.#needs('}')
      break
    }
    return { fields }
  }

  #field(): ObjectField {
    const name = this.#tokens[this.#at++] ?? ''
    if (name === '[') {
      this.#at++
      this.#needs(']')
      this.#needs(':')
      return { key: '[string]', type: this.#union() }
    }
    const mark = this.#takes('?') ? '?' : ''
    this.#needs(':')
    return { key: keyOf(name) + mark, type: this.#union() }
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false
    this.#at++
    return true
  }

  #needs(token: string): void {
    if (!this.#takes(token)) throw new Unreadable()
  }
}

function tableOf({ fields }: ObjectType): string {
  if (fields.length === 0) return 'table'
  return `{ ${fields.map(({ key, type }) => `${key}: ${type}`).join(', ')} }`
}

/** LuaLS reads no escapes. */
function literalOf(token: string): string {
  return /["\\]/.test(token.slice(1, -1)) ? 'string' : token
}

function keyOf(name: string): string {
  if (isLuaName(name)) return name
  const literal = literalOf(name.startsWith('"') ? name : `"${name}"`)
  return literal === 'string' ? '[string]' : `[${literal}]`
}
