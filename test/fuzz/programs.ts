/** Random programs: each ends within its limits, with the same outcome every time. */
import { DEFAULT_LIMITS, type RunLimits } from '../../src/limits.ts'
import type { ScriptOutcome } from '../../src/vm/run-script.ts'
import { Random } from '../support/random.ts'
import { runLua } from '../support/run-lua.ts'
import { storageWith } from '../support/seeded-storage.ts'
import { writeProgram } from './program/write-program.ts'
import { shrinkLines } from './shrink-lines.ts'
import type { Target } from './target.ts'

const LIMITS: RunLimits = {
  ...DEFAULT_LIMITS,
  /** Most programs that end do so with less. */
  fuel: 100_000,
  memoryBytes: 4 * 1024 * 1024,
  writeBytes: 1024 * 1024,
  residentBytes: 2 * 1024 * 1024,
  openHandles: 8,
  filesTouched: 16,
  logBytes: 65_536,
  /** Hundreds of times what so much fuel takes: only what does not count its work gets there. */
  runMs: 5_000,
}
/** Some may go on for longer, and so get to what takes longer. */
const LONG_LIMITS: RunLimits = { ...LIMITS, fuel: 1_000_000 }
const ONE_LONG_IN = 8
const FILES = { a: 'one\ntwo\n3 4.5 0x10 x\n', 'e/f': '\0\xff\n' }

/** Everything a caller could see of a run, and what it took. */
async function outcomeOf(
  script: string,
  limits: RunLimits,
): Promise<{ seen: string; fault?: string }> {
  const start = performance.now()
  try {
    const storage = await storageWith(FILES)
    const outcome = await runLua(script, { storage, limits, mayBreak: true })
    const seen = JSON.stringify(outcome, null, 1)
    const fault = excessOf(outcome, performance.now() - start, limits)
    return { seen, ...(fault && { fault }) }
  } catch (error) {
    return { seen: '', fault: `threw ${(error as Error)?.stack ?? String(error)}` }
  }
}

function excessOf(
  { fuelUsed, memoryBytes, error, fault }: Omit<ScriptOutcome, 'result'>,
  ms: number,
  limits: RunLimits,
): string | undefined {
  if (fault !== undefined) return `broke the VM: ${(fault as Error).stack ?? String(fault)}`
  if (fuelUsed > limits.fuel) return `used ${fuelUsed} units of fuel`
  if (memoryBytes > limits.memoryBytes) return `used ${memoryBytes} bytes of memory`
  if (error?.kind === 'timeout' || ms > limits.runMs) return `took ${Math.round(ms)} ms`
  return undefined
}

/** Why a program must not do what it does; `undefined` if all is well. */
async function faultOf(script: string, limits: RunLimits): Promise<string | undefined> {
  const first = await outcomeOf(script, limits)
  if (first.fault) return first.fault
  const second = await outcomeOf(script, limits)
  if (second.fault) return second.fault
  if (first.seen === second.seen) return undefined
  return `gave two outcomes\n${first.seen}\n${second.seen}`
}

export const programs: Target = {
  shortRuns: 500,
  longRuns: 1_000_000,
  async tryOut(runs, seed) {
    const random = new Random(seed)
    for (let run = 0; run < runs; run++) {
      const programSeed = random.next()
      const limits = run % ONE_LONG_IN === 0 ? LONG_LIMITS : LIMITS
      const program = writeProgram(programSeed)
      const first = await faultOf(program, limits)
      if (first === undefined) continue
      const smaller = await shrinkLines(
        program,
        async (text) => (await faultOf(text, limits)) !== undefined,
      )
      const fault = (await faultOf(smaller, limits)) ?? `failed only once: ${first}`
      return `program ${programSeed}, fuel ${limits.fuel}: ${fault}\n\n${smaller}\n\nfrom\n\n${program}`
    }
    return undefined
  },
}
