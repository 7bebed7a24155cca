/** 100 MB of pages through `sdk.dump` on the Node server, beside a program that does the same. */
import { resolve } from 'node:path'
import { dumpOf } from '../../../soak/large/data.ts'
import { onS3 } from '../../../soak/large/services.ts'
import { startProgram } from '../../../soak/large/start-program.ts'
import { sharedS3 } from '../../../support/local-s3.ts'
import { comparisonOf } from '../../compare.ts'
import { cpuMs } from '../../cpu-time.ts'
import { takeTurns, timed, type Turn } from '../../measure.ts'
import { say } from '../../progress.ts'
import type { Comparison } from '../../results.ts'

const MIB = 96
const PROGRAM = resolve(import.meta.dirname, '../../servers/hand-written-dump.ts')

export async function dumpSpeed(): Promise<Comparison> {
  say(`${MIB} MiB through sdk.dump`)
  const file = dumpOf(MIB)
  const ours = await onS3.start(file)
  const { settings: store } = await sharedS3()
  const byHand = await startProgram(PROGRAM, [JSON.stringify({ api: ours.api, store })])
  const meters = {
    'sdk.dump': meter(ours.pid!, async () => {
      const { error } = await ours.caller.run('dump', file.script)
      if (error) throw new Error(error.message)
    }),
    'written by hand': meter(byHand.pid, async () => {
      const response = await fetch(byHand.line, { method: 'POST' })
      if (!response.ok) throw new Error(await response.text())
    }),
  }
  try {
    const turns = {
      'sdk.dump': meters['sdk.dump'].turn,
      'written by hand': meters['written by hand'].turn,
    }
    const times = await takeTurns(turns, { rounds: 9, budgetMs: 40_000, warmUps: 1 })
    return comparisonOf(
      {
        id: 'service-dump',
        title: `${MIB} MiB of pages into one file of JSON lines, on Node`,
        note: 'Both store in the same local bucket, in parts of 8 MiB. The other program parses each page; it checks no limits and looks for no secrets.',
        unit: 'ms',
      },
      Object.entries(meters).map(([name, { more }]) => ({
        name,
        values: times[name as keyof typeof meters],
        more: more(),
      })),
    )
  } finally {
    byHand.stop()
    await ours.stop()
  }
}

/** Counts the process's CPU time too, which others on the machine disturb less. */
function meter(pid: number, work: () => Promise<void>) {
  let cpu = 0
  let count = 0
  const time = timed(work)
  const turn: Turn = async () => {
    const before = cpuMs(pid) ?? 0
    const ms = await time()
    cpu += (cpuMs(pid) ?? 0) - before
    count++
    return ms
  }
  return { turn, more: () => ({ 'CPU ms each': cpu / count }) }
}
