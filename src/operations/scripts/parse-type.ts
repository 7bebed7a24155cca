/** Reads types of LuaLS annotations, such as `integer|"all"` or `table<string, number>[]`. */
import { nullable, unionOf, type ArgSchema, type JsonType } from './arg-schema.ts'

/** Of one type; the reader is recursive. */
const MAX_DEPTH = 16
/** Of one script: arguments are checked against each. */
export const MAX_TYPES = 64

const NAME = /[A-Za-z_][\w.]*/y
const NUMBER = /-?\d+(?:\.\d+)?/y
const QUOTED = /"[^"]*"|'[^']*'/y
const SPACE = /[ \t]*/y
const INDEX = /\[[ \t]*(?:string|integer|number)[ \t]*\]/y

const PLAIN = new Map<string, JsonType | readonly JsonType[]>([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'integer'],
  ['boolean', 'boolean'],
  ['nil', 'null'],
  // A table is a list or a map.
  ['table', ['object', 'array']],
])
const NOT_JSON = new Set(['fun', 'function', 'thread', 'userdata', 'lightuserdata'])

/** What is wrong with an annotation, as a sentence without its place. */
export class AnnotationFault extends Error {}

export interface ReadType {
  readonly schema: ArgSchema
  /** What follows the type. */
  readonly rest: string
}

/**
 * @param budget Counts the types read so far, of all annotations of a script.
 * @throws {AnnotationFault}
 */
export function parseType(text: string, budget: { types: number }): ReadType {
  const reader = new TypeReader(text, budget)
  const schema = reader.union(0)
  return { schema, rest: reader.rest }
}

class TypeReader {
  readonly #text: string
  readonly #budget: { types: number }
  #at = 0

  constructor(text: string, budget: { types: number }) {
    this.#text = text
    this.#budget = budget
  }

  get rest(): string {
    return this.#text.slice(this.#at)
  }

  union(depth: number): ArgSchema {
    if (depth > MAX_DEPTH) throw new AnnotationFault('the type is nested too deeply')
    const choices = [this.#one(depth)]
    while (this.#takes('|')) choices.push(this.#one(depth))
    return unionOf(choices)
  }

  #one(depth: number): ArgSchema {
    if (++this.#budget.types > MAX_TYPES) throw new AnnotationFault('there are too many types')
    let schema = this.#base(depth)
    for (let suffixes = 0; ; suffixes++) {
      if (suffixes > MAX_DEPTH) throw new AnnotationFault('the type is nested too deeply')
      if (this.#text.startsWith('[]', this.#at)) {
        this.#at += 2
        schema = { type: 'array', items: schema }
      } else if (this.#text[this.#at] === '?') {
        this.#at++
        schema = nullable(schema)
      } else return schema
    }
  }

  #base(depth: number): ArgSchema {
    if (this.#takes('(')) {
      const inner = this.union(depth + 1)
      this.#needs(')')
      return inner
    }
    if (this.#takes('{')) return this.#fields(depth)
    const quoted = this.#match(QUOTED)
    if (quoted !== undefined) return { enum: [quoted.slice(1, -1)] }
    const number = this.#match(NUMBER)
    if (number !== undefined) return { enum: [Number(number)] }
    const name = this.#match(NAME)
    if (name === undefined) throw new AnnotationFault('a type is missing')
    if (name === 'true' || name === 'false') return { enum: [name === 'true'] }
    if (name === 'any' || name === 'unknown') return {}
    if (name === 'table' && this.#takes('<')) return this.#map(depth)
    const type = PLAIN.get(name)
    if (type !== undefined) return { type }
    const reason = NOT_JSON.has(name) ? 'cannot be passed as JSON' : 'is an unknown type'
    throw new AnnotationFault(`${JSON.stringify(name.slice(0, 40))} ${reason}`)
  }

  /** After `table<`; with whole numbers as keys it is a list. */
  #map(depth: number): ArgSchema {
    const key = this.union(depth + 1)
    this.#needs(',')
    const value = this.union(depth + 1)
    this.#needs('>')
    return mapOf(key.type === 'integer' || key.type === 'number', value)
  }

  /** After `{`: `{ id: integer, name?: string }`, or `{ [string]: number }`. */
  #fields(depth: number): ArgSchema {
    const index = this.#match(INDEX)
    if (index !== undefined) {
      this.#needs(':')
      const value = this.union(depth + 1)
      this.#needs('}')
      return mapOf(!index.includes('string'), value)
    }
    const fields: [string, ArgSchema][] = []
    const required: string[] = []
    while (!this.#takes('}')) {
      const name = this.#match(NAME)
      if (name === undefined) throw new AnnotationFault('a field needs a name')
      const isOptional = this.#takes('?')
      this.#needs(':')
      fields.push([name, this.union(depth + 1)])
      if (!isOptional) required.push(name)
      if (this.#takes(',')) continue
      this.#needs('}')
      break
    }
    const properties = Object.fromEntries(fields)
    return { type: 'object', properties, ...(required.length > 0 && { required }) }
  }

  #match(pattern: RegExp): string | undefined {
    const start = this.#afterSpace()
    pattern.lastIndex = start
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at = start + found.length
    return found
  }

  #takes(sign: string): boolean {
    const start = this.#afterSpace()
    if (this.#text[start] !== sign) return false
    this.#at = start + 1
    return true
  }

  #needs(sign: string): void {
    if (!this.#takes(sign)) throw new AnnotationFault(`the type needs ${JSON.stringify(sign)}`)
  }

  #afterSpace(): number {
    SPACE.lastIndex = this.#at
    return this.#at + SPACE.exec(this.#text)![0].length
  }
}

function mapOf(isList: boolean, value: ArgSchema): ArgSchema {
  return isList ? { type: 'array', items: value } : { type: 'object', additionalProperties: value }
}
