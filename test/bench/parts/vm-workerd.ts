/** A fresh VM in workerd against a bare instance. */
import { comparisonOf } from '../compare.ts'
import { BARE, OURS } from '../contestants/moonbucket.ts'
import { median, takeTurns, timed } from '../measure.ts'
import { say } from '../progress.ts'
import type { Comparison } from '../results.ts'
import { startInWorkerd as startWorker } from '../start-in-workerd.ts'

const RUNS = 200

/** Each request creates many; the time of an empty request is subtracted. */
export async function startInWorkerd(): Promise<Comparison> {
  say('a fresh VM in workerd')
  const worker = await startWorker('fresh-vms.ts')
  try {
    const ask = (what: string, count: number) =>
      timed(async () => {
        const answer = await fetch(`${worker.origin}/?what=${what}&runs=${count}`)
        if (!answer.ok) throw new Error(await answer.text())
      })
    const times = await takeTurns(
      { fresh: ask('fresh', RUNS), bare: ask('bare', RUNS), idle: ask('bare', 0) },
      { rounds: 25, budgetMs: 10_000, warmUps: 5 },
    )
    const idle = median(times.idle)
    const perRun = (batches: readonly number[]) => batches.map((ms) => (ms - idle) / RUNS)
    const texts = {
      id: 'vm-start-workerd',
      title: 'The same in workerd',
      note: `${RUNS} to a request; what an empty request takes is taken off.`,
      unit: 'ms',
    }
    return comparisonOf(texts, [
      { name: OURS, values: perRun(times.fresh) },
      { name: BARE, values: perRun(times.bare) },
    ])
  } finally {
    await worker.stop()
  }
}
