/**
 * JSON parsing with exact keys and integers. V8 13.6 misreads some escaped keys: while an object
 * parsed from `{"b":1,"\\":2}` is alive, the second key of `{"b":1,"\n":2}` becomes a backslash.
 * And its integers have 53 bits, while scripts have 64.
 */

const SPACE = /[ \t\n\r]*/y
const SCALAR = /[^\s,\]}]+/y

/**
 * @param readInteger Converts integers beyond 53 bits; without it they are rounded.
 *
 * @throws {SyntaxError}
 */
export function parseJson(text: string, readInteger?: (digits: string) => unknown): unknown {
  // Fast path for nearly all text; the native parser also validates.
  const parsed: unknown = JSON.parse(text)
  const hasLargeNumbers = readInteger !== undefined && /\d{16}/.test(text)
  return hasLargeNumbers || hasEscapedKey(text) ? new Reader(text, readInteger).value() : parsed
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The index of the closing quote. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}

/** Backslashes occur only in strings, and a string before a colon is a key. */
function hasEscapedKey(text: string): boolean {
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    at = endOfMatch(SPACE, text, at + 1)
    if (text[at] === ':') return true
  }
  return false
}

/** Parses valid JSON. */
class Reader {
  readonly #text: string
  readonly #readInteger: ((digits: string) => unknown) | undefined
  #at = 0

  constructor(text: string, readInteger: ((digits: string) => unknown) | undefined) {
    this.#text = text
    this.#readInteger = readInteger
  }

  value(): unknown {
    switch (this.#next()) {
      case '{':
        return Object.fromEntries(this.#list('}', () => this.#entry()))
      case '[':
        return this.#list(']', () => this.value())
      case '"':
        return this.#string()
      default:
        return this.#scalar()
    }
  }

  #next(): string | undefined {
    this.#at = endOfMatch(SPACE, this.#text, this.#at)
    return this.#text[this.#at]
  }

  #list<T>(close: string, read: () => T): T[] {
    const items: T[] = []
    this.#at++
    while (this.#next() !== close) {
      items.push(read())
      if (this.#next() === ',') this.#at++
    }
    this.#at++
    return items
  }

  #entry(): [string, unknown] {
    this.#next()
    const key = this.#string()
    this.#next()
    this.#at++
    return [key, this.value()]
  }

  /** V8 parses a single string correctly. */
  #string(): string {
    const end = endOfString(this.#text, this.#at) + 1
    const string = JSON.parse(this.#text.slice(this.#at, end)) as string
    this.#at = end
    return string
  }

  #scalar(): unknown {
    const end = endOfMatch(SCALAR, this.#text, this.#at)
    const source = this.#text.slice(this.#at, end)
    this.#at = end
    const value: unknown = JSON.parse(source)
    const isLarge = typeof value === 'number' && !Number.isSafeInteger(value)
    return this.#readInteger && isLarge && /^-?\d+$/.test(source)
      ? this.#readInteger(source)
      : value
  }
}

function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return at + (pattern.exec(text)?.[0].length ?? 0)
}
