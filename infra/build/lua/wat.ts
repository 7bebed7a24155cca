/** A WebAssembly module as text, split into top-level fields, for edits that must match exactly. */

/** A build step. `apply` throws if the module does not look as expected. */
export interface Edit {
  readonly name: string
  readonly apply: (module: Wat) => void
}

/** Functions are found by name, other fields by their beginning. */
export class Wat {
  #fields: string[]

  constructor(text: string) {
    // binaryen indents top-level fields by one space, everything inside by more.
    const fields = text.split(/^ (?=\()/m)
    if (fields.shift() !== '(module\n') throw new Error('not the text of a module')
    const last = fields.pop()
    if (!last?.endsWith('\n)\n')) throw new Error('the module does not end')
    this.#fields = [...fields, last.slice(0, -2)].map((field) => oneLine(field.trimEnd()))
  }

  toString(): string {
    return `(module\n${this.#fields.map((field) => ` ${field}\n`).join('')})\n`
  }

  /** Adds a field; imports go first, as the format requires. */
  add(field: string): void {
    if (field.startsWith('(import')) this.#fields.unshift(field)
    else this.#fields.push(oneLine(field))
  }

  /** @throws unless exactly one field begins with `start`. */
  find(start: string): string {
    return this.#fields[this.#indexOf(start)]!
  }

  all(start: string): string[] {
    return this.#fields.filter((field) => field.startsWith(start))
  }

  /** @throws unless exactly one field begins with `start`. */
  replace(start: string, field: string): void {
    this.#fields[this.#indexOf(start)] = oneLine(field)
  }

  /** Removes the fields that begin with `start`. @throws unless there are `count`. */
  remove(start: string, count: number): void {
    expectCount(start, count, this.all(start).length)
    this.#fields = this.#fields.filter((field) => !field.startsWith(start))
  }

  editFunction(name: string, change: (text: string) => string): void {
    const start = functionStart(name)
    this.replace(start, change(this.find(start)))
  }

  /** Replaces all occurrences. @throws unless there are `count`. */
  replaceIn(name: string, search: string, by: string, count = 1): void {
    this.editFunction(name, (text) => replaceExactly(text, search, by, count))
  }

  /** Replaces a function and keeps the original under another name. */
  wrapFunction(name: string, text: string, former = `${name}.stock`): void {
    const stock = this.find(functionStart(name))
    this.replace(functionStart(name), text)
    this.add(stock.replace(functionStart(name), functionStart(former)))
  }

  /** Applies `change` to every field; the caller checks the count. */
  editAll(change: (field: string) => string): void {
    this.#fields = this.#fields.map(change)
  }

  #indexOf(start: string): number {
    const matches = this.#fields.flatMap((field, index) => (field.startsWith(start) ? [index] : []))
    expectCount(start, 1, matches.length)
    return matches[0]!
  }
}

/** Replaces all occurrences. @throws unless there are `count`. */
export function replaceExactly(text: string, search: string, by: string, count = 1): string {
  const parts = text.split(search)
  expectCount(search, count, parts.length - 1)
  return parts.join(by)
}

/** Replaces whole S-expressions that begin with `start`. @throws unless there are `count`. */
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

/** Wraps whole S-expressions whose beginning matches, inner ones first. */
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

/** What precedes a function's first instruction: name, parameters, result and locals. */
const FUNCTION_HEAD = /^\(func \S+(?: \((?:export "\w+"|param [^()]*|result \w+|local [^()]*)\))*/

/** Includes the `$`. */
export function nameOf(text: string): string {
  return text.slice('(func '.length, text.indexOf(' ', '(func '.length))
}

/** A call of `name` that passes the function's own parameters on. */
export function callOf(text: string, name: string): string {
  const parameters = FUNCTION_HEAD.exec(text)![0].matchAll(/\(param (\$\S+) /g)
  return `(call ${name} ${[...parameters].map(([, local]) => `(local.get ${local})`).join(' ')})`
}

/** Inserts code, which may begin with locals, before the first instruction. */
export function insertAtStart(text: string, code: string): string {
  return text.replace(FUNCTION_HEAD, (head) => `${head} ${code}`)
}

/** @throws unless an edit matched as often as when it was written. */
export function expectCount(what: string, expected: number, found: number): void {
  if (found === expected) return
  throw new Error(`expected ${expected} of ${JSON.stringify(what.slice(0, 60))}, found ${found}`)
}

/** Like {@link expectCount}, for several kinds of one thing. */
export function expectCounts<Kind extends string>(
  what: string,
  expected: Readonly<Record<Kind, number>>,
  found: Readonly<Record<Kind, number>>,
): void {
  for (const kind in expected) expectCount(`${what} ${kind}`, expected[kind], found[kind])
}

/** One line per function, so that search strings need no line breaks. */
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
