/** Runs the tests on one mutant, cheapest first, until one fails. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Coverage } from './coverage.ts'
import { mutate, type Mutant } from './draw.ts'
import type { Failure } from './rerun.ts'
import { startSession, type Session } from './workspace.ts'

/**
 * Each on what the steps before let through:
 *
 * - `reaching`: portable files of `npm test` that reach the mutant in Node;
 * - `elsewhere`: files of `npm test` that may reach it in workerd or in a process they start;
 * - `all`: what `npm run test:all` adds.
 */
export const STEPS = ['reaching', 'elsewhere', 'all'] as const

export type Step = (typeof STEPS)[number]

/** Longer than a test may take by the limits of vitest.config.ts. */
const QUIET_MS = 90_000
const QUIET_ALL_MS = 900_000

export class Trials {
  readonly #folder: string
  readonly #coverage: Coverage
  #session: Session | undefined
  /** Whether a file passes without any mutant, by mode and name. */
  readonly #passes = new Map<string, boolean>()

  constructor(folder: string, coverage: Coverage) {
    this.#folder = folder
    this.#coverage = coverage
  }

  /** What catches the mutant in this step: a test, or one that does not end; `null` if nothing. */
  async trialOf(mutant: Mutant, step: Step): Promise<string | null> {
    const reaching = this.#coverage.filesFor(mutant)
    const inNode = reaching.filter((file) => file.startsWith('node '))
    if (step === 'reaching') {
      // What the VM is built with needs a build of its own.
      const isFresh = this.#coverage.isBuildInput(mutant)
      return await this.#firstCaught(mutant, inNode, { mode: 'test', isFresh })
    }
    const { elsewhere, slow } = this.#coverage
    if (step === 'elsewhere') {
      const likely = reaching.filter((file) => !inNode.includes(file))
      const files = new Set([...likely, ...elsewhere])
      return await this.#firstCaught(mutant, [...files], { mode: 'test', isFresh: true })
    }
    const inWorkerd = inNode.map((file) => file.replace(/^node /, 'workerd '))
    const files = new Set([...reaching, ...inWorkerd, ...slow])
    return await this.#firstCaught(mutant, [...files], { mode: 'all', isFresh: true })
  }

  end(): void {
    this.#session?.end()
  }

  /** A failure counts if it repeats, in a file that passes without the mutant. */
  async #firstCaught(
    mutant: Mutant,
    files: readonly string[],
    how: { mode: string; isFresh: boolean },
  ): Promise<string | null> {
    for (let left = files; left.length > 0;) {
      const failure = await this.#run(left, { ...how, mutant, isMutated: true })
      if (!failure) return null
      const { file, test } = failure
      const again = await this.#run([file], { ...how, mutant, isMutated: true })
      const key = `${how.mode} ${file}`
      if (again && !this.#passes.has(key)) {
        const fault = await this.#run([file], { ...how, mutant, isMutated: false })
        this.#passes.set(key, fault === null)
        if (fault) console.info(`left out, fails without a mutant: ${file}: ${fault.test}`)
      }
      if (again && this.#passes.get(key)) return `${file}: ${test}`
      left = left.slice(left.indexOf(file) + 1)
    }
    return null
  }

  async #run(
    files: readonly string[],
    how: { mode: string; isFresh: boolean; mutant: Mutant; isMutated: boolean },
  ): Promise<Failure | null> {
    const { mode, isFresh, mutant, isMutated } = how
    if (isFresh || this.#session?.isOver()) {
      this.#session?.end()
      this.#session = undefined
    }
    // Built from the source as it should be, unless the mutant is to have a build of its own.
    if (!isFresh) this.#session ??= await startSession(this.#folder, mode)
    const path = join(this.#folder, mutant.file)
    const content = readFileSync(path, 'utf8')
    if (isMutated) writeFileSync(path, mutate(content, mutant))
    try {
      if (!isFresh) return await this.#session!.run({ files, changed: path }, QUIET_MS)
      const session = await startSession(this.#folder, mode).catch(() => undefined)
      if (!session) return { file: files[0]!, test: 'the build fails' }
      const quietMs = mode === 'all' ? QUIET_ALL_MS : QUIET_MS
      return await session.run({ files, changed: path }, quietMs).finally(() => session.end())
    } finally {
      writeFileSync(path, content)
    }
  }
}
