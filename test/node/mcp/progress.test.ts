/** What a watcher hears, by a clock that the test moves. */
import type { ServerContext } from '@modelcontextprotocol/server'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { withProgress } from '../../../src/mcp/progress.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** Says each line at its millisecond, and gives what was heard until the end. */
async function heardOf(lines: Readonly<Record<number, string>>, endMs: number) {
  const heard: unknown[] = []
  const notify = async ({ params }: { params: { message: string } }) => {
    heard.push(params.message)
  }
  const mcpReq = { _meta: { progressToken: 1 }, notify }
  await withProgress({ mcpReq } as unknown as ServerContext, async (report) => {
    for (const [ms, line] of Object.entries(lines)) setTimeout(() => report(line), Number(ms))
    await vi.advanceTimersByTimeAsync(endMs)
  })
  await vi.advanceTimersByTimeAsync(60_000)
  return heard
}

it('a silent run sends progress until it ends', async () => {
  expect(await heardOf({}, 11_000)).toEqual(['Running for 5 s', 'Running for 10 s'])
})

it('what a run says is not replaced by the time it takes', async () => {
  expect(await heardOf({ 4950: 'one', 4970: 'two' }, 10_500)).toEqual([
    'one',
    'two',
    'Running for 10 s',
  ])
})

it('of many lines at once the last is heard', async () => {
  expect(await heardOf({ 10: 'one', 20: 'two', 30: 'three' }, 1_000)).toEqual(['one', 'three'])
})
