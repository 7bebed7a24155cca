/** The queue of the Node server: whose run comes next, and what a second or later process does. */
import { describe, expect, it } from 'vitest'
import { FairQueue } from '../../../src/entry/node/fair-queue.ts'
import { sweep } from '../../../src/operations/sweep/sweep.ts'
import { runQueued } from '../../../src/operations/runs/run-queued.ts'
import { makeGate } from '../../support/gate.ts'
import { makeRunsApp } from '../../support/run-queue.ts'

/** Lets one run end after the other, and tells in which order they began. */
async function orderOf(refs: readonly string[], maxRuns: number): Promise<string[]> {
  const begun: string[] = []
  const all = makeGate()
  const queue = new FairQueue({
    maxRuns,
    async run(ref) {
      begun.push(ref)
      if (begun.length === refs.length) all.open()
      // As long as everything that others do at once.
      await new Promise((resolve) => setImmediate(resolve))
    },
  })
  await Promise.all(refs.map((ref) => queue.send(ref)))
  await all.opened
  await queue.close()
  return begun
}

const refsOf = (tenant: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${tenant}/default/${i}`)

describe('the queue', () => {
  it('gives each tenant its turn', async () => {
    const refs = [...refsOf('large', 4), ...refsOf('a', 2), ...refsOf('b', 1)]
    const order = await orderOf(refs, 1)
    expect(order.map((ref) => ref.split('/')[0])).toEqual([
      'large',
      'large',
      'a',
      'b',
      'large',
      'a',
      'large',
    ])
  })

  it('lets small tenants wait no more than twice as long beside 4,000 runs of another', async () => {
    const small = Array.from({ length: 19 }, (_, i) => refsOf(`small-${i}`, 52)).flat()
    const isSmall = (ref: string) => ref.startsWith('small')
    const waits = (order: readonly string[]) =>
      order.flatMap((ref, at) => (isSmall(ref) ? [at] : [])).reduce((sum, at) => sum + at, 0)
    const alone = waits(await orderOf(small, 4))
    const beside = waits(await orderOf([...refsOf('large', 4_012), ...small], 4))
    expect(beside / alone).toBeLessThan(2)
  })

  it('runs as many at once as it may, and each once', async () => {
    let running = 0
    let most = 0
    const seen: string[] = []
    const done = makeGate()
    const queue = new FairQueue({
      maxRuns: 3,
      async run(ref) {
        seen.push(ref)
        most = Math.max(most, ++running)
        await new Promise((resolve) => setImmediate(resolve))
        running--
        if (seen.length === 10) done.open()
      },
    })
    const refs = refsOf('a', 10)
    // The same again, while it waits or runs, is the same run.
    for (const ref of [...refs, ...refs]) await queue.send(ref)
    await done.opened
    await queue.close()
    expect(most).toBe(3)
    expect(seen.toSorted()).toEqual(refs.toSorted())
  })

  it('that is closed starts nothing more, and ends what runs', async () => {
    const begun: string[] = []
    const queue = new FairQueue({
      maxRuns: 1,
      run: (ref, signal) =>
        new Promise((resolve) => {
          begun.push(ref)
          signal.addEventListener('abort', () => resolve())
        }),
    })
    for (const ref of refsOf('a', 3)) await queue.send(ref)
    await queue.close()
    expect(begun).toEqual(['a/default/0'])
  })
})

describe('a process that starts', () => {
  it('queues what an earlier one had not begun', async () => {
    const made = await makeRunsApp()
    const runs = await Promise.all([made.start('return 1'), made.start('return 2')])
    // The queue of the earlier process is gone.
    made.queue.sent.length = 0
    const done = makeGate()
    let count = 0
    const queue: FairQueue = new FairQueue({
      maxRuns: 2,
      async run(ref) {
        await runQueued(service, ref)
        if (++count === runs.length) done.open()
      },
    })
    const service = { ...made.service, runQueue: queue }
    await sweep(service)
    await done.opened
    for (const { id } of runs) expect(await made.get(id)).toMatchObject({ status: 'succeeded' })
  })
})

describe('a process that stops', () => {
  it.each([
    [{}, { status: 'failed', answer: { error: { message: 'the service was stopped' } } }],
    [{ retry: true }, { status: 'queued' }],
  ])('leaves a run with %o as %o', async (fields, expected) => {
    const made = await makeRunsApp()
    const { id } = await made.start('file.save("a", "1") while true do end', fields)
    const stop = new AbortController()
    const running = runQueued(made.service, made.queue.sent.shift()!, stop.signal)
    while ((await made.get(id)).status === 'queued') await new Promise(setImmediate)
    stop.abort()
    await running
    expect(await made.get(id)).toMatchObject(expected)
    expect((await made.stored())['users/alice/a']).toBe('1')
  })
})
