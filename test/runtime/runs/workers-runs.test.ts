/** Background runs on Workers, through the queue and on R2, as deployed. */
import { expect, it } from 'vitest'
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { sharedWorker } from '../../node/start-worker.ts'
import { callerOf } from '../../support/caller.ts'
import { leaveOldRun } from './old-run.ts'

/** Takes two thirds of what a run may have. */
const HEAVY = `
  local held = {}
  for i = 1, 20 do
    held[i] = ("x"):rep(1024 * 1024)
    if i % 5 == 0 then io.list("share") end
  end
  return #held`

const worker = await sharedWorker()
const caller = callerOf(() => worker.origin, `-${crypto.randomUUID()}`)

async function startRun(tenant: string, script: string): Promise<string> {
  const response = await caller.post(tenant, '/execute', { script, background: true })
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`)
  return response.headers.get('Location')!
}

async function ended(tenant: string, location: string): Promise<unknown> {
  return (await caller.send(tenant, `${location}?wait=30`)).json()
}

it('a run ends after its request, and its file opens', async () => {
  const location = await startRun('queued', 'print("hi") io.open("a.txt", "w"):write("x"):close()')
  const run = (await ended('queued', location)) as { answer: { files_touched: [{ link: string }] } }
  expect(run).toMatchObject({ status: 'succeeded', log_lines: 1, answer: { logs: ['hi'] } })
  expect(await (await fetch(run.answer.files_touched[0].link)).text()).toBe('x')
})

it('runs in the background wait for memory that requests hold', async () => {
  const locations = await Promise.all(Array.from({ length: 3 }, () => startRun('heavy', HEAVY)))
  await Promise.all(
    Array.from({ length: 6 }, () => caller.post('heavy', '/execute', { script: HEAVY })),
  )
  for (const location of locations) {
    expect(await ended('heavy', location)).toMatchObject({
      status: 'succeeded',
      answer: { result: 20 },
    })
  }
})

it('the cron trigger deletes old runs', async () => {
  const old = await leaveOldRun(s3Storage(worker.s3))
  await worker.trigger()
  expect(await old.isThere()).toBe(false)
})
