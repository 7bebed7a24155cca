/**
 * A few inputs for each target, the same each time, so that a change is never red for a bug it did
 * not make. `npm run fuzz` tries new ones.
 */
import { expect, it } from 'vitest'
import { isAll } from '../support/tier.ts'
import { loadTarget, TARGET_NAMES } from './targets.ts'

/** In workerd there is no environment: then the defaults count. */
const env = (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env
const SEED = Number(env?.FUZZ_SEED ?? 20_261_117)

const FACTS: Readonly<Record<string, string>> = {
  paths: 'any path is refused with the documented sentence, or stays inside, as text and as bytes',
  keys: 'no two owners share a key or reach each other',
  jwts: 'no token that was changed or made up verifies',
  links: 'no link opens anything but what it was made for',
  requests: 'any body gets a documented answer that tells nothing it should not',
  json: 'Lua and JavaScript agree on every text and every value',
  files: 'any work on files gives what POSIX gives, down to the store',
  programs: 'any program ends with one outcome, within its limits, and with the same one again',
}

it.each(TARGET_NAMES.map((name) => [name, FACTS[name]]))(
  '%s: %s',
  async (name) => {
    const target = await loadTarget(name)
    const runs = Number(env?.FUZZ_RUNS ?? target.shortRuns / (isAll ? 1 : 2))
    const failure = await target.tryOut(runs, SEED)
    const again = `npm run fuzz -- --only ${name} --seed ${SEED} --runs ${runs} --workers 1`
    expect(failure && `${failure}\n\nAgain: ${again}`).toBeUndefined()
  },
  120_000,
)
