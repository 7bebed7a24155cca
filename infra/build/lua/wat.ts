/** A WebAssembly module as text, cut into its top-level fields, for edits that must match exactly. */

/** One named step of the build. `apply` throws when the module does not look as expected. */
export interface Edit {
  readonly name: string
  readonly apply: (module: Wat) => void
}

/** The editable module. Functions are found by name; all other fields by what they begin with. */
export class Wat {
  #fields: string[]

  constructor(text: string) {
    // binaryen indents top-level fields by exactly one blank, everything inside them by more.
    const fields = text.split(/^ (?=\()/m)
    if (fields.shift() !== '(module\n') throw new Error('not the text of a module')
    const last = fields.pop()
    if (!last?.endsWith('\n)\n')) throw new Error('the module does not end')
    this.#fields = [...fields, last.slice(0, -2)].map((field) => oneLine(field.trimEnd()))
  }

  toString(): string {
    return `(module\n${this.#fields.map((field) => ` ${field}\n`).join('')})\n`
  }

  /** Adds a field: a function, global, data segment … Imports go first, as the format demands. */
  add(field: string): void {
    if (field.startsWith('(import')) this.#fields.unshift(field)
    else this.#fields.push(oneLine(field))
  }

  /** The one field that begins with `start`. */
  find(start: string): string {
    return this.#fields[this.#indexOf(start)]!
  }

  /** Every field that begins with `start`. */
  all(start: string): string[] {
    return this.#fields.filter((field) => field.startsWith(start))
  }

  /** Replaces the one field that begins with `start`. */
  replace(start: string, field: string): void {
    this.#fields[this.#indexOf(start)] = oneLine(field)
  }

  /** Removes every field that begins with `start`; there must be exactly `count`. */
  remove(start: string, count: number): void {
    expectCount(start, count, this.all(start).length)
    this.#fields = this.#fields.filter((field) => !field.startsWith(start))
  }

  /** Applies `change` to the text of one function. */
  editFunction(name: string, change: (text: string) => string): void {
    const start = functionStart(name)
    this.replace(start, change(this.find(start)))
  }

  /** Replaces each of exactly `count` occurrences of a string in one function. */
  replaceIn(name: string, search: string, count: number, by: string): void {
    this.editFunction(name, (text) => replaceExactly(text, search, count, by))
  }

  /** Gives a function a new body and keeps its former one under another name. */
  wrapFunction(name: string, text: string, former = `${name}.stock`): void {
    const stock = this.find(functionStart(name))
    this.replace(functionStart(name), text)
    this.add(stock.replace(functionStart(name), functionStart(former)))
  }

  /** Applies `change` to every field; the caller counts. */
  editAll(change: (field: string) => string): void {
    this.#fields = this.#fields.map(change)
  }

  #indexOf(start: string): number {
    const matches = this.#fields.flatMap((field, index) => (field.startsWith(start) ? [index] : []))
    expectCount(start, 1, matches.length)
    return matches[0]!
  }
}

/** Replaces each of exactly `count` occurrences of a string. */
export function replaceExactly(text: string, search: string, count: number, by: string): string {
  const parts = text.split(search)
  expectCount(search, count, parts.length - 1)
  return parts.join(by)
}

/** Replaces the whole parenthesised expressions that begin with `start`; there must be `count`. */
export function replaceExpressions(text: string, start: string, count: number, by: string): string {
  let found = 0
  let from = text.indexOf(start)
  while (from >= 0) {
    const end = expressionEnd(text, from)
    text = text.slice(0, from) + by + text.slice(end)
    found++
    from = text.indexOf(start, from + by.length)
  }
  expectCount(start, count, found)
  return text
}

/** Puts `wrap` around the whole parenthesised expressions whose beginning matches, inner ones first. */
export function wrapExpressions(
  text: string,
  start: RegExp,
  wrap: (expression: string, match: RegExpExecArray) => string,
): string {
  for (const match of [...text.matchAll(start)].toReversed()) {
    const end = expressionEnd(text, match.index)
    text = text.slice(0, match.index) + wrap(text.slice(match.index, end), match) + text.slice(end)
  }
  return text
}

/** Name, parameters, result and locals: what stands before a function's first instruction. */
const FUNCTION_HEAD = /^\(func \S+(?: \((?:export "\w+"|param [^()]*|result \w+|local [^()]*)\))*/

/** A function's name, with its `$`. */
export function nameOf(text: string): string {
  return text.slice('(func '.length, text.indexOf(' ', '(func '.length))
}

/** A call of `name` with the parameters of the function with this text. */
export function callOf(text: string, name: string): string {
  const parameters = FUNCTION_HEAD.exec(text)![0].matchAll(/\(param (\$\S+) /g)
  return `(call ${name} ${[...parameters].map(([, local]) => `(local.get ${local})`).join(' ')})`
}

/** Puts code, which may begin with further locals, in front of a function's first instruction. */
export function insertAtStart(text: string, code: string): string {
  return text.replace(FUNCTION_HEAD, (head) => `${head} ${code}`)
}

/** Fails the build unless an edit matched as often as it did when it was written. */
export function expectCount(what: string, expected: number, found: number): void {
  if (found === expected) return
  throw new Error(`expected ${expected} of ${JSON.stringify(what.slice(0, 60))}, found ${found}`)
}

/** Functions on one line each, so that what an edit looks for can be written as one reads it. */
function oneLine(field: string): string {
  if (!field.startsWith('(func ')) return field
  return field.replace(/;;.*$/gm, '').replace(/\s+/g, ' ').replace(/ \)/g, ')')
}

function functionStart(name: string): string {
  return `(func ${name} `
}

function expressionEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) return at + 1
  }
  throw new Error('unbalanced expression')
}
