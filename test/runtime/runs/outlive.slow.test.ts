/** Runs outlive their request on every engine; `npm run soak` lets them take three minutes. */
import { describe, expect, it } from 'vitest'
import { allEngines } from './engines.ts'
import { outlive } from './outlive.ts'

const SECONDS = 5

describe.each(allEngines())('on $name', (engine) => {
  it('a run ends well after its client has gone, over HTTP and over MCP', async () => {
    const ended = { status: 'succeeded', isWhole: true }
    const outlived = await outlive(engine, SECONDS)
    expect(outlived).toMatchObject({ http: ended, mcp: ended })
    for (const { seconds } of Object.values(outlived)) {
      expect(seconds).toBeGreaterThanOrEqual(SECONDS - 1)
    }
  }, 120_000)
})
