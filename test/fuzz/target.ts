/** A fuzz target: generates inputs and reports the first that breaks a promise. */
import fc from 'fast-check'

export interface Target {
  /** Inputs that `npm test` tries, unless `FUZZ_RUNS` says otherwise: a few seconds. */
  readonly shortRuns: number
  /** Inputs that `npm run fuzz` tries, unless told otherwise. */
  readonly longRuns: number
  /** Gives what a person needs to see of the first failure; the same seed makes the same inputs. */
  tryOut(runs: number, seed: number): Promise<string | undefined>
}

/** A target whose inputs fast-check makes, and makes smaller when they fail. */
export function propertyTarget<Inputs>(
  runs: Pick<Target, 'shortRuns' | 'longRuns'>,
  property: fc.IRawProperty<Inputs>,
): Target {
  return {
    ...runs,
    async tryOut(numRuns, seed) {
      const details = await fc.check(property, { numRuns, seed })
      // Asked here, because fast-check has no message for what did not fail.
      if (!details.failed) return undefined
      const { errorInstance } = details
      const error = errorInstance instanceof Error ? errorInstance.stack : String(errorInstance)
      return `${await fc.asyncDefaultReportMessage(details)}\n\n${error}`
    },
  }
}

/** For properties: fails the input unless what is promised is true. */
export function promise(isTrue: boolean, broken: () => string): void {
  if (!isTrue) throw new Error(broken())
}

/** For properties: fails the input unless both are the same as JSON. */
export function promiseSame(seen: unknown, expected: unknown, what: string): void {
  const [one, other] = [JSON.stringify(seen), JSON.stringify(expected)]
  promise(one === other, () => `${what}\n  seen:     ${one}\n  expected: ${other}`)
}
