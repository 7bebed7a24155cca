/** Formats types, TypeScript-like and compact. */

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
