/**
 * Writes schemas as types. References stay names, so types may be recursive and are written once.
 */
import type { TypeEntry } from '../../../../src/sdk/catalog/catalog.ts'
import { isNullable, kindsOf, shapeOf, type Kind, type Shape } from './schema.ts'
import { shortText } from '../short-text.ts'
import {
  refOf,
  isNode,
  listAt,
  member,
  textAt,
  membersOf,
  textsAt,
  type Spec,
  type SpecNode,
} from '../spec/spec.ts'
import {
  pascalCase,
  TypeNames,
  ANY,
  arrayOf,
  fieldOf,
  intersectionOf,
  literalOf,
  objectOf,
  unionOf,
  type TypeText,
} from './type-text.ts'
import {
  isData,
  jsonFirst,
  mediaTypes,
  type SpecOperation,
  type MediaType,
} from '../spec/operations.ts'

/** Nesting of inline objects; reduced if a type gets too long. */
const DEPTHS = [3, 2, 1]
const MAX_LENGTH = 4000
const MAX_FIELDS = 120
/** Longer inline types get a name. */
const MAX_INLINE = 120
const MAX_DESCRIPTION = 120
/** Bounds inline recursion. */
const MAX_PARTS = 5000
const MAX_NESTING = 40

interface Position {
  readonly at: string
  /** Levels of objects left. */
  readonly depth: number
  readonly nesting: number
}

export class TypeWriter {
  readonly #spec: Spec
  readonly #names: TypeNames
  readonly #types = new Map<string, TypeEntry>()
  readonly #queue: { name: string; node: SpecNode; at: string }[] = []
  #parts = 0

  constructor(spec: Spec) {
    this.#spec = spec
    this.#names = new TypeNames(spec.document)
  }

  /** @param wanted The name, if the type is too long for a signature. */
  write(schema: unknown, at: string, wanted: string): string {
    const text = this.#shortened(schema, at)
    if (text.length <= MAX_INLINE) return text
    const name = this.#names.unique(pascalCase(wanted))
    this.#types.set(name, { text })
    return name
  }

  /** All referenced types, transitively, by name. */
  finish(): Record<string, TypeEntry> {
    for (let open = this.#queue.pop(); open; open = this.#queue.pop()) {
      const { name, node, at } = open
      const text = this.#shortened(node, at)
      const description = shortText(member(node, 'description'), MAX_DESCRIPTION, 1)
      const isNew = pascalCase(description).toLowerCase() !== name.toLowerCase()
      this.#types.set(name, { text, ...(description && isNew && { description }) })
    }
    const byName = [...this.#types].sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(byName)
  }

  #shortened(schema: unknown, at: string): string {
    let text = ''
    for (const depth of DEPTHS) {
      this.#parts = 0
      text = this.#text(schema, { at, depth, nesting: 0 }).text
      if (text.length <= MAX_LENGTH) break
    }
    return text
  }

  #text(schema: unknown, position: Position): TypeText {
    const { at, nesting } = position
    if (schema === false) return { text: 'never' }
    if (!isNode(schema)) {
      if (schema !== true && schema !== undefined)
        this.#spec.problems.warn(at, 'is not a schema; any value is accepted')
      return ANY
    }
    if (++this.#parts > MAX_PARTS || nesting > MAX_NESTING) return { text: '…' }
    const within = { ...position, nesting: nesting + 1 }
    if (refOf(schema) !== undefined) return this.#referred(schema, within)
    const text = this.#combined(schema, within)
    return isNullable(schema) ? unionOf([text, { text: 'null' }]) : text
  }

  /** By name, but plain types inline. */
  #referred(schema: SpecNode, position: Position): TypeText {
    const found = this.#spec.find(schema, position.at)
    if (!found) return ANY
    const { node, ref } = found
    if (isPlain(node)) return this.#text(node, position)
    const name = this.#names.of(ref!)
    if (!this.#types.has(name)) {
      // Reserved at once, so that it is queued only once.
      this.#types.set(name, { text: '' })
      this.#queue.push({ name, node, at: ref!.replace(/^#\//, '').replaceAll('/', '.') })
    }
    return { text: name }
  }

  #combined(schema: SpecNode, position: Position): TypeText {
    const constant = member(schema, 'const')
    if (constant !== undefined) return literalOf(constant)
    const choices = listAt(schema, 'enum')
    if (choices.length > 0) {
      const union = unionOf(choices.map(literalOf))
      // On a list, `enum` is meant for its items.
      const isList = kindsOf(schema).kinds.includes('array') && !choices.some(Array.isArray)
      return isList ? arrayOf(union) : union
    }

    const shape = shapeOf(schema)
    const parts = shape.others.map((part) => this.#text(part, position))
    for (const alternatives of shape.alternatives) {
      parts.push(unionOf(alternatives.map((part) => this.#text(part, position))))
    }
    if (shape.hasOwn || parts.length === 0) parts.push(this.#own(schema, shape, position))
    return intersectionOf(parts)
  }

  #own(schema: SpecNode, shape: Shape, position: Position): TypeText {
    const { kinds, unknown } = kindsOf(schema)
    if (unknown.length > 0) {
      this.#spec.problems.warn(position.at, `unknown type ${unknown.join(', ')}`)
    }
    if (kinds.length === 0) return shape.fields.size > 0 ? this.#object(shape, position) : ANY
    return unionOf(kinds.map((kind) => this.#ofKind(kind, schema, shape, position)))
  }

  #ofKind(kind: Kind, schema: SpecNode, shape: Shape, position: Position): TypeText {
    switch (kind) {
      case 'object':
        return this.#object(shape, position)
      case 'array': {
        const tuple = listAt(schema, 'prefixItems')
        if (tuple.length === 0) return arrayOf(this.#text(member(schema, 'items'), position))
        const items = tuple.map((item) => this.#text(item, position).text)
        return { text: `[${items.join(', ')}]` }
      }
      case 'string':
        return { text: textKind(textAt(schema, 'format')) }
      case 'file':
        return { text: 'binary' }
      default:
        return { text: kind }
    }
  }

  #object({ fields, required, rest }: Shape, position: Position): TypeText {
    if (position.depth === 0) return { text: 'object' }
    const deeper = { ...position, depth: position.depth - 1 }
    const written = [...fields]
      .slice(0, MAX_FIELDS)
      .map(([name, schema]) => fieldOf(name, this.#text(schema, deeper), required.has(name)))
    if (fields.size > written.length) written.push('…')
    return objectOf(written, isNode(rest) ? this.#text(rest, deeper) : undefined)
  }
}

function textKind(format: string | undefined): string {
  if (format === 'date-time') return 'datetime'
  return format === 'date' || format === 'binary' ? format : 'string'
}

/** A scalar with at most four enum values. */
function isPlain(schema: SpecNode): boolean {
  const { kinds } = kindsOf(schema)
  const isScalar = kinds.length > 0 && kinds.every((kind) => kind !== 'object' && kind !== 'array')
  const combined = ['allOf', 'oneOf', 'anyOf'].some((key) => listAt(schema, key).length > 0)
  return isScalar && !combined && listAt(schema, 'enum').length <= 4
}

/**
 * The type of the first successful response with data. `undefined` for an empty body; `string` for
 * text and bytes.
 */
export function returnType(
  spec: Spec,
  types: TypeWriter,
  { node, at, method }: SpecOperation,
  functionName: string,
): string | undefined {
  if (method === 'HEAD') return undefined
  const answers = successes(member(node, 'responses')).flatMap(([status, value]) => {
    const answerAt = `${at}.responses.${status}`
    const found = spec.find(value, answerAt)?.node
    return found ? [{ content: contentOf(spec, node, found, answerAt), at: answerAt }] : []
  })
  for (const { content, at: answerAt } of answers) {
    const data = content.find(({ type, schema }) => isData(type) && schema !== undefined)
    if (data) return types.write(data.schema, answerAt, `${functionName} result`)
  }
  const contents = answers.flatMap(({ content }) => content)
  if (contents.some(({ type }) => isData(type))) return 'any'
  return contents.length > 0 ? 'string' : undefined
}

/** By status, then `2XX`; `default` only if there is no other. */
function successes(responses: unknown): [string, unknown][] {
  const all = membersOf(responses)
  const ranked = all.filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
  if (ranked.length === 0) return all.filter(([status]) => status === 'default')
  return ranked.sort(([a], [b]) => (a < b ? -1 : 1))
}

function contentOf(spec: Spec, operation: SpecNode, answer: SpecNode, at: string): MediaType[] {
  if (!spec.isSwagger) return mediaTypes(spec, member(answer, 'content'), `${at}.content`)
  const schema = member(answer, 'schema')
  if (schema === undefined) return []
  if (member(schema, 'type') === 'file') return [{ type: 'application/octet-stream', schema }]
  const own = textsAt(operation, 'produces')
  const produced = own.length > 0 ? own : textsAt(spec.document, 'produces')
  const types = produced.length > 0 ? produced : ['application/json']
  return jsonFirst(types.map((type) => ({ type, schema })))
}
