/** JSON Schemas of other servers in a few words, as types of TypeScript. Nobody checked them: they may lie, loop or never end. */
import { stringifyExact } from '../call/exact-json.ts'
import { isLuaName } from './lua-name.ts'
import { fieldsOf, type Fields } from '../pages/page-fields.ts'
import { plainText } from './plain-text.ts'

const MAX_FIELDS = 40
const MAX_NAME_LENGTH = 64
const MAX_CHOICES = 8
const MAX_LITERAL_LENGTH = 40
/** From one name to another: longer chains are circles. */
const MAX_HOPS = 5
/** Schemas inside schemas that are looked at for one text: those that hold themselves would never end. */
const MAX_STEPS = 200
const PLAIN_TYPES = new Set(['string', 'number', 'integer', 'boolean', 'null'])

/** How far a text goes into a schema, and how long it gets. */
export interface TextSize {
  /** 1 shows the fields of an object, but not those of objects inside it. */
  readonly levels: number
  readonly maxLength: number
}

/** A field of an object, as a reader meets it. */
export interface SchemaField {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: unknown
}

/** `{ query: string, limit?: integer }`; ends with `…` where it was cut. */
export function schemaText(
  schema: unknown,
  root: unknown,
  { levels, maxLength }: TextSize,
): string {
  const text = new SchemaReader(fieldsOf(root)).textOf(schema, levels, maxLength)
  return text.length > maxLength * 2 ? `${text.slice(0, maxLength)}…` : text
}

/** The first fields of an object, those that are required before the others. */
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

  /** What a reference inside the schema leads to; anything else is as it is. */
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

/** Objects among them are not opened. */
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

/** As the server knows it: tools get the keys that a script writes. */
function keyText(name: string): string {
  if (isLuaName(name) && name.length <= MAX_NAME_LENGTH) return name
  return JSON.stringify(plainText(name, MAX_NAME_LENGTH))
}
