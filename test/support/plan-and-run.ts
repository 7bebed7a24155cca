/** Runs a script as a plan and then for real, and compares what both say. */
import { expect } from 'vitest'
import { countingStorage } from './counting-storage.ts'
import { makeApp, runtimeStorage, type Answer, type MakeAppOptions } from './make-app.ts'

type Made = Awaited<ReturnType<typeof makeApp>>

export async function makeCounted(options: MakeAppOptions = {}) {
  const { storage, writes } = countingStorage(await runtimeStorage())
  const made = await makeApp({ ...options, storage })
  return { ...made, writes }
}

interface Planned {
  readonly script: string
  readonly body?: object
  readonly claims?: object
}

/** The plan may write nothing, and must tell the result, the files and their digests. */
export async function planAndRun(
  { run, send, writes }: Awaited<ReturnType<typeof makeCounted>>,
  { script, body = {}, claims = {} }: Planned,
): Promise<NonNullable<Answer['plan']>> {
  writes.length = 0
  const planned = await run(script, { ...body, plan: true }, { ...claims })
  expect(writes).toEqual([])
  const done = await run(script, body, { ...claims })
  expect([planned.error, planned.result]).toEqual([done.error, done.result])
  const stored = done.files_touched.map(async ({ name, op, bytes }) => ({
    name,
    op,
    bytes,
    ...(op !== 'remove' && { sha256: await sha256Of(send, name, claims) }),
  }))
  const rows = planned.plan!.files.map((row) => ({ ...row, diff: undefined }))
  expect(rows).toEqual(await Promise.all(stored))
  return planned.plan!
}

async function sha256Of(send: Made['send'], path: string, claims: object): Promise<string> {
  const body = JSON.stringify({ path, sha256: true })
  const answer = await send('/fs/info', { method: 'POST', body }, { ...claims })
  return ((await answer.json()) as { data: { sha256: string } }).data.sha256
}
