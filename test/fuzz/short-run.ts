/**
 * A target as a test: few inputs, the same each time, so that a change is never red for a bug it did
 * not make. New inputs are the work of `npm run fuzz`.
 */
import { it } from 'vitest'
import type { Target } from './target.ts'

/** In workerd there is no environment: then the defaults count. */
const env = (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env

const SEED = 20_261_117

/** `FUZZ_RUNS` and `FUZZ_SEED` change how much is tried and which inputs. */
export function itHolds(fact: string, name: string, target: Target): void {
  const runs = Number(env?.FUZZ_RUNS ?? target.shortRuns)
  it(
    fact,
    async () => {
      const seed = Number(env?.FUZZ_SEED ?? SEED)
      const failure = await target.tryOut(runs, seed)
      if (failure === undefined) return
      const again = `npm run fuzz -- --only ${name} --seed ${seed} --runs ${runs} --workers 1`
      throw new Error(`${failure}\n\nAgain: ${again}`)
    },
    120_000,
  )
}
