/** The VM against other sandboxes: startup and speed. */
import { atLeast, atMost } from '../bars.ts'
import { compare, findRow, type Contestant } from '../compare.ts'
import { SANDBOXES, STARTERS } from '../contestants/contestants.ts'
import { ISOLATED_VM } from '../contestants/isolated-vm.ts'
import { BARE, OURS } from '../contestants/moonbucket.ts'
import { NATIVE } from '../contestants/native-lua.ts'
import { QUICKJS_EMSCRIPTEN } from '../contestants/quickjs-emscripten.ts'
import { QUICKJS_WASI } from '../contestants/quickjs-wasi.ts'
import { startProcess, type Asked, type ContestantProcess } from '../contestants/start-process.ts'
import { WASMOON } from '../contestants/wasmoon.ts'
import { median } from '../measure.ts'
import type { Bar, Comparison, Figures } from '../results.ts'
import { scriptFor, START, WORKLOADS, type Workload } from '../workloads/workloads.ts'
import { fuel } from './vm-fuel.ts'
import { jsonBesideNative } from './vm-json.ts'
import { metering } from './vm-metering.ts'
import { startInWorkerd } from './vm-workerd.ts'

/** Ours must start faster than each of these. */
const SLOWER_TO_START = [QUICKJS_WASI, QUICKJS_EMSCRIPTEN, ISOLATED_VM, NATIVE]
const ABOVE_BARE =
  'a bare instance is the floor. Above it are some fifteen small steps: to compile and run the script (a quarter of them), to take its result (an eighth), and to give the VM its imports, fuel, random numbers and files. Most of their time is that of caches which making the instance has emptied. Alone with bare instances in a process, the middle start is 0.10 to 0.12 ms above the middle one of those, the fastest tenth 0.07 ms; here other contestants have used the caches in between.'
/** Starts per turn; the median counts. */
const STARTS_IN_A_TURN = 11

export async function vm(): Promise<Figures> {
  const { starts, workloads } = await againstOthers()
  const metered = await metering()
  const inWorkerd = await startInWorkerd()
  const rates = await fuel()
  const json = await jsonBesideNative()
  return {
    comparisons: [
      starts,
      inWorkerd,
      ...workloads,
      ...json.comparisons,
      metered.comparison,
      rates.comparison,
    ],
    growths: [],
    bars: [...startBars(starts), ...json.bars, metered.bar, rates.bar],
  }
}

async function againstOthers() {
  const processes = [...SANDBOXES, ...STARTERS].map(startProcess)
  try {
    const starts = await freshStarts(processes)
    const workloads: Comparison[] = []
    for (const workload of WORKLOADS) workloads.push(await runWorkload(processes, workload))
    return { starts, workloads }
  } finally {
    for (const one of processes) one.stop()
  }
}

function freshStarts(processes: readonly ContestantProcess[]): Promise<Comparison> {
  const contestants = processes.map((one) => {
    const script = START[one.sandbox.language]
    return contestantOf(one, { script, result: START.result, runs: STARTS_IN_A_TURN })
  })
  return compare(
    {
      id: 'vm-start',
      title: 'A fresh sandbox that answers 1+1',
      note: 'Whatever can be compiled once is compiled before; each time a new sandbox is made, runs the script and is disposed of.',
      unit: 'ms',
      hasChart: true,
    },
    contestants,
    { rounds: 60, budgetMs: 15_000, warmUps: 10 },
  )
}

function runWorkload(
  processes: readonly ContestantProcess[],
  workload: Workload,
): Promise<Comparison> {
  const contestants = processes.flatMap((one) => {
    const script = STARTERS.includes(one.sandbox) ? undefined : scriptFor(one.sandbox, workload)
    return script === undefined
      ? []
      : contestantOf(one, { script, result: workload.result, runs: 1 })
  })
  return compare(
    {
      id: `vm-${workload.id}`,
      title: workload.title,
      ...(workload.needsJson && {
        note: 'Lua without a JSON library brings one along that is written in Lua.',
      }),
      unit: 'ms',
      hasChart: true,
    },
    contestants,
    { rounds: 20, budgetMs: 6_000 },
  )
}

function contestantOf(one: ContestantProcess, asked: Asked): Contestant {
  const { name, version } = one.sandbox
  return { name, version, turn: async () => median(await one.timesOf(asked)) }
}

function startBars(starts: Comparison): Bar[] {
  const bare = findRow(starts, BARE)?.value.median
  const slower = (name: string) => findRow(starts, name)?.ratio.median
  return [
    {
      ...atMost(
        'fresh VM and `return 1+1`, in process',
        { measured: findRow(starts, OURS)?.value.median, limit: bare && bare + 0.1, unit: 'ms' },
        `at most a bare instance + 0.1 ms${bare === undefined ? '' : ` (${(bare + 0.1).toFixed(3)} ms)`}`,
      ),
      why: ABOVE_BARE,
    },
    atLeast(
      'fresh VM against a fresh engine of wasmoon',
      { measured: slower(WASMOON), limit: 15, unit: 'times as fast' },
      'at least 15 times as fast',
    ),
    ...SLOWER_TO_START.map((name) =>
      atLeast(
        `fresh VM against ${name}`,
        { measured: slower(name), limit: 1, unit: 'times as fast' },
        'faster',
      ),
    ),
  ]
}
