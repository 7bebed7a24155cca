/** Background runs that report their end, from the request to the receiver. */
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { FairQueue } from '../../../src/entry/node/fair-queue.ts'
import { runQueued } from '../../../src/operations/runs/run-queued.ts'
import { makeRunsApp } from '../../support/run-queue.ts'
import { startReceiver, verified } from './webhook-receiver.ts'

const ENDED = new Date('2026-11-17T12:00:00Z')

const receiver = await startReceiver()
afterAll(() => receiver.stop())
afterEach(() => void vi.useRealTimers())

describe('a background run', () => {
  const url = `${receiver.origin}/done`

  async function makeRuns() {
    receiver.answerWith(204)
    return makeRunsApp({ env: receiver.env, now: () => ENDED })
  }

  const told = () => receiver.seen.map(({ body }) => JSON.parse(body) as unknown)

  it.each([
    ['return 1', 'succeeded'],
    ['error("no")', 'failed'],
  ])('%s reports its end', async (script, status) => {
    const { start, deliver, tenant } = await makeRuns()
    const { id } = await start(script, { notify: url })
    expect(told()).toEqual([])
    await deliver()
    expect(told()).toEqual([{ id, status }])
    expect(await verified(receiver.seen[0]!, { at: ENDED, tenant })).toEqual({ id, status })
  })

  it('reports it once, however often its own message arrives', async () => {
    const { start, deliver, queue } = await makeRuns()
    const { id } = await start('return 1', { notify: url })
    queue.sent.push(...queue.sent, ...queue.sent)
    await deliver()
    expect(told()).toEqual([{ id, status: 'succeeded' }])
  })

  it('that is cancelled before it starts reports that', async () => {
    const { start, cancel, deliver } = await makeRuns()
    const { id } = await start('return 1', { notify: url })
    await cancel(id)
    await deliver()
    expect(told()).toEqual([{ id, status: 'cancelled' }])
  })

  it('that is lost reports that when somebody asks, who need not wait', async () => {
    const { start, get, pass, queue, deliver } = await makeRuns()
    const { id } = await start('return 1', { notify: url })
    queue.sent.length = 0
    pass(2 * queue.keepsMs)
    expect((await get(id)).status).toBe('lost')
    expect(told()).toEqual([])
    await deliver()
    expect(told()).toEqual([{ id, status: 'lost' }])
  })

  it('without notify reports nothing', async () => {
    const { start, deliver } = await makeRuns()
    await start('return 1')
    await deliver()
    expect(told()).toEqual([])
  })

  it('ends as it did if its report cannot be queued', async () => {
    const { start, get, queue, service, events } = await makeRuns()
    const { id } = await start('return 1', { notify: url })
    const runQueue = { ...queue, send: () => Promise.reject(new Error('queue is gone')) }
    await runQueued({ ...service, runQueue }, queue.sent.shift()!)
    expect((await get(id)).status).toBe('succeeded')
    expect(events).toContainEqual(expect.objectContaining({ event: 'fault', where: 'notify' }))
  })

  it.each([
    ['https://elsewhere.example/', {}, 'notify: the host is not in WEBHOOK_HOSTS'],
    ['http://10.0.0.1/', {}, 'notify: the address is not a public host name'],
    [`${url}#x`, { background: false }, 'notify: is only for background runs'],
  ])('cannot report to %s with %j', async (notify, body, message) => {
    const { post, queue } = await makeRuns()
    const response = await post({ script: 'return 1', background: true, notify, ...body })
    expect([response.status, await response.json()]).toMatchObject([422, { error: { message } }])
    expect(queue.sent).toEqual([])
  })
})

it('the Node server delays messages without holding a thread', async () => {
  const delivered: string[] = []
  const queue = new FairQueue({
    maxRuns: 1,
    run: async (ref) => {
      delivered.push(ref)
      if (ref === 'a/busy') await new Promise(() => {})
    },
  })
  await queue.send('a/busy')
  await queue.send('a/waiting')
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  await queue.sendLater('a/notice', 30_000)
  await vi.advanceTimersByTimeAsync(29_999)
  expect(delivered).toEqual(['a/busy'])
  await vi.advanceTimersByTimeAsync(1)
  expect(delivered).toEqual(['a/busy', 'a/notice'])
})
