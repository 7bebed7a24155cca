/** What is wrong with the settings, all of it at once. */
import type { ParsedSettings } from './settings.ts'

/** The message has a line for each problem: the setting's name, never its value. */
export class InvalidConfig extends Error {
  constructor(setting: string, problem: string) {
    super(`${setting}: ${problem}`)
    this.name = 'InvalidConfig'
  }

  static of(problems: readonly InvalidConfig[]): InvalidConfig {
    const [first] = problems
    if (first) first.message = problems.map(({ message }) => message).join('\n')
    return first!
  }
}

/** The results of all, or the problems of all. @throws {InvalidConfig} */
export function together<A, B>(readA: () => A, readB: () => B): [A, B] {
  const found: InvalidConfig[] = []
  const attempt = <T>(read: () => T): T => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof InvalidConfig)) throw error
      found.push(error)
      return undefined as T
    }
  }
  const results: [A, B] = [attempt(readA), attempt(readB)]
  if (found.length > 0) throw InvalidConfig.of(found)
  return results
}

/** Collected, so that a person sees them all at once. */
export class Problems {
  readonly #found = new Map<string, string>()

  add(setting: string, problem: string): void {
    this.#found.set(setting, problem)
  }

  /** A setting with a wrong value is not missing as well. */
  require(settings: ParsedSettings, name: keyof ParsedSettings, problem: string): void {
    if (!settings[name] && !this.#found.has(name)) this.add(name, problem)
  }

  /** @throws {InvalidConfig} */
  throwIfAny(): void {
    const problems = Array.from(this.#found, ([name, problem]) => new InvalidConfig(name, problem))
    if (problems.length > 0) throw InvalidConfig.of(problems)
  }
}
