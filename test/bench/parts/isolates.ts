/** A fresh VM in one Worker against a fresh isolate per script, both in workerd. */
import { residentBytes } from '../../soak/process-memory.ts'
import { comparisonOf } from '../compare.ts'
import { load, sender } from '../load.ts'
import { say } from '../progress.ts'
import type { Comparison, Figures } from '../results.ts'
import { compareUnderLoad, type Rival } from '../rivals.ts'
import { startInWorkerd, type Running } from '../start-in-workerd.ts'

export const ISOLATES_ONE_BY_ONE = 'isolates-start'
export const FRESH_VM = 'Moonbucket: a VM for each script'
export const FRESH_ISOLATE = 'Worker Loader: an isolate for each script'
const NOTHING = 'a Worker that runs nothing'

const FILES = {
  [FRESH_VM]: 'vm-per-request.ts',
  [FRESH_ISOLATE]: 'isolate-per-request.ts',
  [NOTHING]: 'constant.ts',
}
const RUNS_BETWEEN = 100
const MEMORY_ROUNDS = 5
const MB = 1_000_000

export async function isolates(): Promise<Figures> {
  const running: Running[] = []
  try {
    const rivals: Rival[] = []
    for (const [name, file] of Object.entries(FILES)) {
      const worker = await startInWorkerd(file)
      running.push(worker)
      rivals.push({ name, pid: worker.pid, send: sender(`${worker.origin}/`, {}, {}) })
    }
    return { comparisons: await compareAll(rivals), growths: [], bars: [] }
  } finally {
    for (const worker of running) await worker.stop()
  }
}

async function compareAll(rivals: readonly Rival[]): Promise<Comparison[]> {
  const oneByOne = await compareUnderLoad(
    {
      id: ISOLATES_ONE_BY_ONE,
      title: 'A fresh place for 1+1, one request after the other',
      note: 'Lua in our VM, JavaScript in the isolate. The last row is what a request takes by itself.',
      hasChart: true,
    },
    rivals,
    { requests: 40, atOnce: 1, rounds: 15, budgetMs: 20_000, warmUps: 2 },
  )
  const atOnce = await compareUnderLoad(
    { id: 'isolates-rate', title: 'The same, 16 callers at once' },
    rivals,
    { requests: 160, atOnce: 16, rounds: 10, budgetMs: 20_000, warmUps: 1 },
  )
  return [oneByOne, atOnce, await memoryOf(rivals)]
}

async function memoryOf(rivals: readonly Rival[]): Promise<Comparison> {
  say(`memory of workerd, ${MEMORY_ROUNDS} times ${RUNS_BETWEEN} runs`)
  const series = rivals.map(({ name }) => ({ name, values: [] as number[] }))
  const before = rivals.map(({ pid }) => residentBytes(pid))
  for (let round = 0; round < MEMORY_ROUNDS; round++) {
    for (const [i, { pid, send }] of rivals.entries()) {
      await load(send, { requests: RUNS_BETWEEN, atOnce: 1 })
      series[i]!.values.push(residentBytes(pid) / MB)
    }
  }
  const told = series.map((one, i) => {
    const grown = one.values.at(-1)! - before[i]! / MB
    return { ...one, more: { 'grew by MB per 100 runs': grown / MEMORY_ROUNDS } }
  })
  return comparisonOf(
    {
      id: 'isolates-memory',
      title: `Resident memory of workerd, after each ${RUNS_BETWEEN} of ${MEMORY_ROUNDS * RUNS_BETWEEN} further runs`,
      unit: 'MB',
    },
    told,
  )
}
