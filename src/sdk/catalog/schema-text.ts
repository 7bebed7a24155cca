/**
 * Summarises untrusted JSON Schemas and texts for prompts and terminals; they may lie or be cyclic.
 */
import { stringifyExact } from '../call/exact-json.ts'
import { isLuaName } from './names.ts'
import { fieldsOf, type Fields } from '../pages/page-fields.ts'

const MAX_FIELDS = 40
const MAX_NAME_LENGTH = 64
const MAX_CHOICES = 8
const MAX_LITERAL_LENGTH = 40
/** Of `$ref`s in a chain; longer ones are cycles. */
const MAX_HOPS = 5
/** Bounds recursive schemas. */
const MAX_STEPS = 200
const PLAIN_TYPES = new Set(['string', 'number', 'integer', 'boolean', 'null'])

interface TextSize {
  /** 1 shows an object's fields, but not those of nested objects. */
  readonly levels: number
  readonly maxLength: number
}

export interface SchemaField {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: unknown
}

/** `{ query: string, limit?: integer }`; ends with `…` where truncated. */
export function schemaText(
  schema: unknown,
  root: unknown,
  { levels, maxLength }: TextSize,
): string {
  const text = new SchemaReader(fieldsOf(root)).textOf(schema, levels, maxLength)
  return text.length > maxLength * 2 ? `${text.slice(0, maxLength)}…` : text
}

/** Required fields first, truncated. */
export function schemaFields(schema: unknown, root: unknown): SchemaField[] {
  return new SchemaReader(fieldsOf(root)).fieldsOf(schema)
}

class SchemaReader {
  readonly #root: Fields
  #steps = 0

  constructor(root: Fields) {
    this.#root = root
  }

  fieldsOf(value: unknown): SchemaField[] {
    const { properties, required } = this.#resolve(value)
    const held = fieldsOf(properties)
    const needed = new Set<unknown>(Array.isArray(required) ? required : [])
    const names = Object.keys(held)
    const sorted = [
      ...names.filter((name) => needed.has(name)).slice(0, MAX_FIELDS),
      ...names.filter((name) => !needed.has(name)).slice(0, MAX_FIELDS),
    ]
    return sorted.slice(0, MAX_FIELDS).map((name) => ({
      name,
      isRequired: needed.has(name),
      schema: held[name],
    }))
  }

  textOf(value: unknown, levels: number, room: number): string {
    if (++this.#steps > MAX_STEPS) return 'any'
    const schema = this.#resolve(value)
    if ('const' in schema) return literal(schema.const)
    if (Array.isArray(schema.enum)) return oneOf(schema.enum, literal, room)
    const choices = schema.anyOf ?? schema.oneOf
    if (Array.isArray(choices)) return oneOf(choices, (one) => this.textOf(one, 0, room), room)
    const { type } = schema
    if (!Array.isArray(type)) return this.#ofType(schema, type, levels, room)
    return oneOf(type, (one) => this.#ofType(schema, one, levels, room), room)
  }

  #ofType(schema: Fields, type: unknown, levels: number, room: number): string {
    if (typeof type === 'string' && PLAIN_TYPES.has(type)) return type
    if (type === 'array') {
      const text = this.textOf(schema.items, levels, room)
      return text.includes(' | ') && !text.startsWith('{') ? `(${text})[]` : `${text}[]`
    }
    const isObject = type === 'object' || (type === undefined && schema.properties !== undefined)
    if (!isObject) return 'any'
    return levels > 0 ? this.#tableText(schema, levels, room) : 'object'
  }

  #tableText(schema: Fields, levels: number, room: number): string {
    const all = this.fieldsOf(schema)
    if (all.length === 0) return 'object'
    const shown: string[] = []
    let left = room
    for (const { name, isRequired, schema: own } of all) {
      const type = this.textOf(own, levels - 1, left)
      const text = `${keyText(name)}${isRequired ? '' : '?'}: ${type}`
      left -= text.length + 2
      if (left < 0) break
      shown.push(text)
    }
    const total = Object.keys(fieldsOf(schema.properties)).length
    if (shown.length < total) shown.push('…')
    return `{ ${shown.join(', ')} }`
  }

  /** Follows local `$ref`s. */
  #resolve(value: unknown): Fields {
    let schema = fieldsOf(value)
    for (let hop = 0; typeof schema.$ref === 'string'; hop++) {
      const [, section, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(schema.$ref) ?? []
      if (hop === MAX_HOPS || section === undefined || name === undefined) return {}
      const held = fieldsOf(this.#root[section])
      schema = Object.hasOwn(held, name) ? fieldsOf(held[name]) : {}
    }
    return schema
  }
}

function oneOf(
  values: readonly unknown[],
  write: (value: unknown) => string,
  room: number,
): string {
  const shown = [...new Set(values.slice(0, MAX_CHOICES).map(write))]
  let isCut = values.length > MAX_CHOICES
  while (shown.length > 1 && shown.join(' | ').length > room) {
    shown.pop()
    isCut = true
  }
  return [...shown, ...(isCut ? ['…'] : [])].join(' | ') || 'any'
}

function literal(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(plainText(value, MAX_LITERAL_LENGTH))
  if (typeof value === 'object' && value !== null) return 'any'
  return stringifyExact(value)
}

/** Not renamed: a tool receives the keys a script writes. */
function keyText(name: string): string {
  if (isLuaName(name) && name.length <= MAX_NAME_LENGTH) return name
  return JSON.stringify(plainText(name, MAX_NAME_LENGTH))
}

/** Whitespace, control characters, invisible and bidi marks, lone surrogates. */
const INVISIBLE = /[\s\p{Cc}\p{Cf}\p{Cs}\p{Co}]+/gu

/**
 * Sanitises untrusted text for a prompt or a terminal. One line, truncated; empty if the value is
 * not a string.
 */
export function plainText(value: unknown, maxLength: number): string {
  if (typeof value !== 'string') return ''
  // Bounds the work: the text may be huge.
  const text = value
    .slice(0, maxLength * 2)
    .replace(INVISIBLE, ' ')
    .trim()
  const isWhole = text.length <= maxLength && value.length <= maxLength * 2
  return isWhole ? text : `${text.slice(0, maxLength - 1).replace(/[\s\p{Cs}]+$/u, '')}…`
}

/** Ends before a capital letter, so not after `e.g.`. */
export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s[^a-z]|$)/.exec(text)?.[0] ?? text
}
