/** A target as a test: few inputs, new ones each time, and a failure that says how to see it again. */
import { it } from 'vitest'
import type { Target } from './target.ts'

/** In workerd there is no environment: then the defaults count. */
const env = (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env

/** `FUZZ_RUNS` and `FUZZ_SEED` change how much is tried and which inputs. */
export function itHolds(fact: string, name: string, target: Target): void {
  const runs = Number(env?.FUZZ_RUNS ?? target.shortRuns)
  it(
    fact,
    async () => {
      const seed = Number(env?.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
      const failure = await target.tryOut(runs, seed)
      if (failure === undefined) return
      const again = `npm run fuzz -- --only ${name} --seed ${seed} --runs ${runs} --workers 1`
      throw new Error(`${failure}\n\nAgain: ${again}`)
    },
    120_000,
  )
}
