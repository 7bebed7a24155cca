/** Writes Lua expressions at random; depth keeps them finite. */
import type { Random } from '../../support/random.ts'
import * as words from './words.ts'

/** How deep statements and expressions lie in each other. */
export const MAX_DEPTH = 3
/** The variables that every program has. */
export const NAMES = ['a', 'b', 'c', 'd', 'e']

/** Every method gives Lua text. */
export abstract class ExpressionWriter {
  readonly random: Random
  depth = 0

  constructor(random: Random) {
    this.random = random
  }

  /** For the bodies of functions. */
  abstract statement(): string

  expression(): string {
    if (this.depth >= MAX_DEPTH) return this.simple()
    this.depth++
    const written = this.#anyExpression()
    this.depth--
    return written
  }

  #anyExpression(): string {
    const random = this.random
    switch (random.below(12)) {
      case 0:
      case 1:
        return this.call()
      case 2:
      case 3:
        return `(${this.expression()} ${this.pick(words.BINARY)} ${this.expression()})`
      case 4:
        return `(${random.pick(['-', 'not ', '#', '~'])}${this.expression()})`
      case 5:
        return this.table()
      case 6:
        return this.#function()
      case 7:
        return `(${this.expression()})[${this.expression()}]`
      default:
        return this.simple()
    }
  }

  simple(): string {
    const random = this.random
    const kind = random.below(10)
    if (kind < 3) return this.number()
    if (kind < 6) return this.pick(words.STRINGS)
    if (kind < 8) return random.pick(NAMES)
    return random.pick([
      'nil',
      'true',
      'false',
      '{}',
      'h',
      '_G',
      'json.null',
      'print',
      'args',
      '(...)',
    ])
  }

  /** A call of the library: mostly what the function takes, now and then something else or nothing. */
  call(): string {
    const [name, ...kinds] = this.random.pick(words.CALLS).split(' ') as [string, ...string[]]
    const values = kinds.map((kind) =>
      this.random.chance(8) ? this.simple() : this.#argument(kind),
    )
    if (this.random.chance(10)) values.pop()
    return `${name}(${values.join(', ')})`
  }

  #argument(kind: string): string {
    switch (kind) {
      case 's':
        return this.random.chance(75) ? this.pick(words.STRINGS) : `tostring(${this.expression()})`
      case 'i':
        return this.random.chance(60) ? this.pick(words.SMALL) : this.number()
      case 'n':
        return this.number()
      case 't':
        return this.table()
      case 'f':
        return this.#function()
      case 'm':
        return this.metatable()
      case 'c':
        return `coroutine.create(${this.#function()})`
      case 'h':
        return 'h'
      case 'p':
        return this.pick(words.PATTERNS)
      case 'R':
        return this.random.pick([
          '"<%0>"',
          '"%1"',
          '"%9"',
          '"%"',
          '{ a = 1, x = false }',
          'string.upper',
          this.#function(),
        ])
      case 'F':
        return this.pick(words.FORMATS)
      case 'P':
        return this.pick(words.PACKS)
      case 'W':
        return this.pick(words.PATHS)
      case 'M':
        return this.pick(words.MODES)
      case 'r':
        return this.pick(words.READS)
      case '..':
        return this.several(3)
      default:
        return kind === '?' ? this.expression() : kind
    }
  }

  #function(): string {
    if (this.depth >= MAX_DEPTH)
      return this.random.pick(['print', 'error', 'type', 'next', 'coroutine.yield'])
    return `function(x, y, ...) ${this.random.chance(50) ? this.statement() : ''} return ${this.random.pick(['x', 'y', 'x, y', this.expression()])} end`
  }

  table(): string {
    const random = this.random
    if (this.depth >= MAX_DEPTH)
      return random.pick(['{}', '{ 1, 2, 3 }', '{ x = 1 }', '{ "b", "a", n = 2 }'])
    const fields = Array.from({ length: random.below(4) }, () => {
      if (random.chance(60)) return this.expression()
      return random.chance(50)
        ? `${random.pick(NAMES)} = ${this.expression()}`
        : `[${this.simple()}] = ${this.simple()}`
    })
    return `{ ${fields.join(', ')} }`
  }

  metatable(): string {
    const fields = Array.from({ length: 1 + this.random.below(3) }, () => {
      const value = this.random.chance(75) ? this.#function() : this.simple()
      return `${this.pick(words.EVENTS)} = ${value}`
    })
    return `{ ${fields.join(', ')} }`
  }

  quoted(text: string): string {
    // One quoted text may hold another, which is deeper.
    const level = '='.repeat(this.depth)
    return this.random.chance(80) ? `[${level}[${text}]${level}]` : this.pick(words.STRINGS)
  }

  number(): string {
    return this.random.chance(50) ? this.pick(words.SMALL) : this.pick(words.NUMBERS)
  }

  several(count: number): string {
    return Array.from({ length: count }, () => this.expression()).join(', ')
  }

  pick(from: readonly string[]): string {
    return this.random.pick(from)
  }
}
