/** What a build has to say: errors stop it, warnings do not. */

/** Specifications with one mistake often have it a thousand times. */
const MAX_SHOWN = 12

/** A build that cannot go on; the message has a line for each problem. */
export class BuildFailed extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'BuildFailed'
  }
}

/** Collects, so that one build shows everything there is to put right. Nothing is said twice. */
export class Problems {
  readonly #file: string
  readonly #errors = new Set<string>()
  readonly #warnings = new Set<string>()

  /** @param file As the operator wrote it. */
  constructor(file: string) {
    this.#file = file
  }

  /** @param at The place in the file, such as `paths./pets.get`; empty for all of it. */
  error(at: string, problem: string): void {
    this.#errors.add(this.#line(at, problem))
  }

  warn(at: string, problem: string): void {
    this.#warnings.add(this.#line(at, problem))
  }

  get errors(): string[] {
    return this.#shown(this.#errors)
  }

  get warnings(): string[] {
    return this.#shown(this.#warnings)
  }

  #line(at: string, problem: string): string {
    return [this.#file, at, problem].filter((part) => part !== '').join(': ')
  }

  #shown(lines: ReadonlySet<string>): string[] {
    const left = lines.size - MAX_SHOWN
    const first = [...lines].slice(0, MAX_SHOWN)
    return left > 0 ? [...first, `${this.#file}: and ${left} more`] : first
  }
}
