/** Collects a build's errors and warnings; errors fail it. */

/** One mistake in a specification is often repeated a thousand times. */
const MAX_SHOWN = 12

/** One line of the message per problem. */
export class BuildFailed extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'BuildFailed'
  }
}

/** Collected, so that one build shows every problem, each once. */
export class Problems {
  readonly #file: string
  readonly #errors = new Set<string>()
  readonly #warnings = new Set<string>()

  /** @param file As named in the settings. */
  constructor(file: string) {
    this.#file = file
  }

  /** @param at The path in the file, such as `paths./pets.get`; may be empty. */
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
