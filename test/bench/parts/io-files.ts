/** How a run's time grows with the number of files. */
import { loadLua } from '../../../src/vm/load-node.ts'
import { growthOf, type LinePoint } from '../growth.ts'
import { median, takeTurns, timed } from '../measure.ts'
import { say } from '../progress.ts'
import type { Growth } from '../results.ts'
import { runOnMemory } from '../run-on-memory.ts'
import { filesScript } from '../workloads/file-scripts.ts'

const FILES = [1, 10, 100, 1000]
/** In one turn: a run with a file or two takes hardly longer than one without. */
const FILES_A_TURN = 500
/** Lower bound: on a busy machine the idle time may exceed the total. */
const LEAST_MS = 0.01

/** Subtracts the time of a run without files. */
export async function growthByFiles(): Promise<Growth> {
  const module = await loadLua()
  const lines: Record<string, LinePoint[]> = { write: [], 'read back': [] }
  for (const count of FILES) {
    say(`files: ${count} of 1 KB`)
    const { write, read } = filesScript(count)
    const runs = Math.ceil(FILES_A_TURN / count)
    const turn = (script: string) =>
      timed(async () => {
        for (let run = 0; run < runs; run++) await runOnMemory(module, script)
      })
    const times = await takeTurns(
      { write: turn(write), read: turn(read), idle: turn('') },
      { rounds: 40, budgetMs: 4_000, warmUps: 5 },
    )
    const idle = median(times.idle)
    const net = (all: readonly number[]) => all.map((ms) => Math.max((ms - idle) / runs, LEAST_MS))
    lines.write!.push({ x: count, values: net(times.write) })
    lines['read back']!.push({ x: count, values: net(times.read) })
  }
  return growthOf(
    {
      id: 'io-files',
      title: 'Time by files, each of 1 KB',
      note: 'Without what a run takes that touches no file.',
      x: 'files',
      unit: 'ms',
    },
    lines,
  )
}
