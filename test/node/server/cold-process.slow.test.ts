/** What only shows in a process of its own: code that was never warm, and memory over many runs. */
import { describe, expect, it } from 'vitest'
import { ENDLESS_SCRIPTS, framed } from '../../hostile/endless-scripts.ts'
import type { runLua } from '../../support/run-lua.ts'
import { inProcess } from '../in-process.ts'

type Outcome = Awaited<ReturnType<typeof runLua>> & { readonly peakBytes: number }
interface Memory {
  readonly before: NodeJS.MemoryUsage
  readonly after: NodeJS.MemoryUsage
}

const FUEL = 200_000_000
const MB = 1_000_000

/** One of each kind. */
const TEN = Object.values(ENDLESS_SCRIPTS).map((scripts) => Object.entries(scripts)[0]!)

it.each(TEN)('the first script of a process ends with its fuel: %s', async (_, script) => {
  const { exitCode, printed } = await inProcess<Outcome>('memory/run-one.ts', {
    script: framed(script),
    args: [FUEL],
  })
  const { memoryBytes: _memory, peakBytes: _peak, ...outcome } = printed
  expect({ exitCode, outcome }).toEqual({
    exitCode: 0,
    outcome: {
      result: null,
      logs: ['started'],
      error: { kind: 'fuel', message: expect.stringContaining('out of fuel') },
      fuelUsed: FUEL,
      files: [
        { name: 'closed.txt', op: 'write', bytes: 6 },
        { name: 'open.txt', op: 'write', bytes: 4 },
      ],
    },
  })
})

describe('a process', () => {
  const BUSY = `print(('x'):rep(1000)) io.open('a', 'w'):write(('y'):rep(1000))
    json.decode(json.encode({ 1, 2, 3 })) error('failed')`

  it.each([
    ['6,000 runs', 'return 1', 1_000, 6_000],
    ['2,000 runs that print, write and fail', BUSY, 500, 2_000],
  ])('does not grow over %s', async (_, script, warmUps, runs) => {
    const { before, after } = await memoryAfter(script, warmUps, runs)
    expect(after.rss - before.rss).toBeLessThan(30 * MB)
  })

  it('is small again after 40 runs that took all the memory they could', async () => {
    const bomb = 'local t = {} while true do t[#t + 1] = ("x"):rep(8000000) .. #t end'
    const { after } = await memoryAfter(bomb, 0, 40)
    expect(after.external + after.arrayBuffers).toBeLessThan(100 * MB)
    expect(after.rss).toBeLessThan(400 * MB)
  })
})

// The engine's space for new objects grows with use, up to 100 MB, and would hide what is kept.
const FLAGS = ['--expose-gc', '--max-semi-space-size=4']

async function memoryAfter(script: string, warmUps: number, runs: number): Promise<Memory> {
  const { exitCode, printed } = await inProcess<Memory>('memory/run-many.ts', {
    script,
    args: [warmUps, runs],
    flags: FLAGS,
  })
  expect(exitCode).toBe(0)
  return printed
}
