/** Formats types, TypeScript-like and compact. */
import { lastNameOf, refOf, isNode, membersOf, nodeAt, type SpecNode } from '../spec/spec.ts'

/** A formatted type; `joint` decides about parentheses. */
export interface TypeText {
  readonly text: string
  readonly joint?: '|' | '&' | undefined
}

const MAX_CHOICES = 8

export const ANY: TypeText = { text: 'any' }

/** `A | B`, unique, `null` last; `any` absorbs the rest. */
export function unionOf(choices: readonly TypeText[]): TypeText {
  const texts = new Set(choices.flatMap(choicesOf))
  if (texts.has('any')) return ANY
  const hasNull = texts.delete('null')
  const shown = [...texts].slice(0, MAX_CHOICES)
  if (texts.size > shown.length) shown.push('…')
  if (hasNull) shown.push('null')
  const [only = 'never', ...others] = shown
  return others.length === 0 ? { text: only } : { text: shown.join(' | '), joint: '|' }
}

/** `A & B`, unique, without parts that say nothing. */
export function intersectionOf(parts: readonly TypeText[]): TypeText {
  const specific = parts.filter(({ text }) => text !== 'any' && text !== 'object')
  const byText = new Map((specific.length > 0 ? specific : parts).map((part) => [part.text, part]))
  const [only = ANY, ...others] = byText.values()
  if (others.length === 0 || specific.length === 0) return only
  const texts = [only, ...others].map(({ text, joint }) => (joint === '|' ? `(${text})` : text))
  return { text: texts.join(' & '), joint: '&' }
}

export function arrayOf({ text, joint }: TypeText): TypeText {
  return { text: joint ? `(${text})[]` : `${text}[]` }
}

/** `{ id: integer, name?: string, [key]: any }` */
export function objectOf(fields: readonly string[], rest?: TypeText): TypeText {
  const all = rest ? [...fields, `[key]: ${rest.text}`] : fields
  return { text: all.length === 0 ? 'object' : `{ ${all.join(', ')} }` }
}

export function fieldOf(name: string, { text }: TypeText, isRequired: boolean): string {
  const written = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
  return `${written}${isRequired ? '' : '?'}: ${text}`
}

export function literalOf(value: unknown): TypeText {
  return typeof value === 'object' && value !== null
    ? { text: Array.isArray(value) ? 'any[]' : 'object' }
    : { text: JSON.stringify(value) ?? 'any' }
}

/** Splits a union, unless bars may be inside braces or quotes. */
function choicesOf({ text, joint }: TypeText): string[] {
  if (joint !== '|') return [text]
  if (!/[{("]/.test(text)) return text.split(' | ')
  return text.endsWith(' | null') ? [text.slice(0, -' | null'.length), 'null'] : [text]
}

const MAX_NAME_LENGTH = 80

/**
 * Short type names, independent of which functions are chosen. `full-repository` →
 * `FullRepository`; `io.k8s.api.core.v1.Pod` → `Pod` if unique.
 */
export class TypeNames {
  readonly #byRef = new Map<string, string>()
  readonly #taken = new Set<string>()

  constructor(document: SpecNode) {
    const places = {
      '#/components/schemas/': nodeAt(nodeAt(document, 'components'), 'schemas'),
      '#/definitions/': nodeAt(document, 'definitions'),
    }
    for (const [prefix, schemas] of Object.entries(places)) {
      // Aliases are never named: references are followed to the end.
      const names = membersOf(schemas)
        .filter(([, schema]) => !isNode(schema) || refOf(schema) === undefined)
        .map(([name]) => name)
      const short = shortest(names)
      for (const name of names) this.#byRef.set(prefix + name, this.unique(short.get(name)!))
    }
  }

  of(ref: string): string {
    // References may be escaped or not.
    const own = lastNameOf(ref)
    const key = ref.replace(/[^/]*$/, () => own)
    let name = this.#byRef.get(key)
    if (name === undefined) {
      name = this.unique(pascalCase(own))
      this.#byRef.set(key, name)
    }
    return name
  }

  /** Appends a number if taken; reserves the name. */
  unique(wanted: string): string {
    let name = wanted
    for (let number = 2; this.#taken.has(name); number++) name = `${wanted}${number}`
    this.#taken.add(name)
    return name
  }
}

/** Always starts with a capital letter. */
export function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const joined = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
  return (/^[A-Z]/.test(joined) ? joined : `Type${joined}`).slice(0, MAX_NAME_LENGTH)
}

/** Takes as many trailing parts of dotted names as make them unique. */
function shortest(names: readonly string[]): Map<string, string> {
  const parts = new Map(names.map((name) => [name, name.split('.').filter(Boolean)]))
  const chosen = new Map<string, string>()
  let open = names
  for (let count = 1; open.length > 0; count++) {
    const groups = new Map<string, string[]>()
    for (const name of open) {
      const short = pascalCase(parts.get(name)!.slice(-count).join('.'))
      groups.set(short, groups.get(short) ?? [])
      groups.get(short)!.push(name)
    }
    open = [...groups].flatMap(([short, group]) => {
      const longer = group.filter((name) => group.length > 1 && parts.get(name)!.length > count)
      for (const name of group) if (!longer.includes(name)) chosen.set(name, short)
      return longer
    })
  }
  return chosen
}
