/** Requests that come together stay within the memory of one isolate, also those that take all they may. */
import { resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { callerOf } from '../../support/caller.ts'
import type { Answer } from '../../support/make-app.ts'
import { startWorker } from '../start-worker.ts'
import { watchIsolate } from './watch-isolate.ts'

const MB = 1_000_000
/** What the platform gives to an isolate; a local one is not stopped there. */
const ISOLATE_BYTES = 128 * MB

const worker = await startWorker({
  entry: resolve(import.meta.dirname, 'measured-worker.ts'),
  isInspected: true,
})
const caller = callerOf(() => worker.origin)
afterAll(() => worker.stop())

async function execute(script: string): Promise<'busy' | Answer> {
  const response = await caller.post('acme', '/execute', { script })
  const answer = (await response.json()) as Answer
  const isBusy = response.status === 503 && response.headers.has('Retry-After')
  return isBusy ? 'busy' : answer
}

/** Each request is done, or was refused because others are; and not all of them are. */
function expectDoneOrBusy(answers: readonly ('busy' | Answer)[]): void {
  const done = answers.filter((answer) => answer !== 'busy')
  expect(done.length).toBeGreaterThan(0)
  for (const answer of done) expect(answer.error ?? null).toBeNull()
}

/** A file of 45 MB, a result of 16 MB with one wide character, and a VM that is full. */
const largest = (n: number) => `
  local file = assert(io.open("file${n}", "w"))
  local line = ("x"):rep(9999) .. "\\n"
  for i = 1, 4500 do assert(file:write(line)) end
  file:close()
  local text, result = "€" .. ("y"):rep(1 << 20), {}
  for i = 1, 15 do result[i] = text end
  local full = {}
  pcall(function() while true do full[#full + 1] = ("z"):rep(100000) .. #full end end)
  full = nil
  return result`

it('of six runs that begin small and then take all they may', async () => {
  const watch = await watchIsolate(await worker.inspectorUrl())
  const runs = Array.from({ length: 6 }, (_, n) => execute(largest(n)))
  const answers = await Promise.all(runs)
  expect(await watch.end()).toBeLessThan(ISOLATE_BYTES)
  expectDoneOrBusy(answers)
}, 120_000)

it('of runs that fill their VMs one after the other', async () => {
  const watch = await watchIsolate(await worker.inspectorUrl())
  const script = `
    local full = {}
    pcall(function() while true do full[#full + 1] = ("z"):rep(100000) .. #full end end)
    return #full`
  for (let i = 0; i < 8; i++) expectDoneOrBusy([await execute(script)])
  expect(await watch.end()).toBeLessThan(ISOLATE_BYTES)
}, 120_000)
