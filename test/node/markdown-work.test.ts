/** That rendering is linear, by counting what V8 executes instead of by a clock. */
import { Session } from 'node:inspector/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../src/http/pages/markdown/html.ts'
import { hostileMarkdown, randomMarkdown } from '../support/hostile-markdown.ts'
import { everyNth, isAll } from '../support/tier.ts'

const SMALL = 8 * 1024
const LARGE = 4 * SMALL
/** Blocks of code executed for a byte: a plain letter takes 7. */
const MOST_PER_BYTE = 200

const session = new Session()

beforeAll(async () => {
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
})

afterAll(() => session.disconnect())

/** How often any block of the renderer's code is executed. */
async function workOf(source: string): Promise<number> {
  await session.post('Profiler.takePreciseCoverage')
  renderMarkdown(source, 'https://moonbucket.test')
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ranges = result
    .filter(({ url }) => url.includes('/src/http/pages/markdown'))
    .flatMap(({ functions }) => functions.flatMap((one) => one.ranges))
  return ranges.reduce((sum, { count }) => sum + count, 0)
}

describe('rendering takes work in proportion to the length', () => {
  it.each(everyNth(7, hostileMarkdown(LARGE)))('of %s', async (_, text) => {
    const [small, large] = [await workOf(text.slice(0, SMALL)), await workOf(text)]
    expect(large).toBeGreaterThan(0)
    expect(large / text.length).toBeLessThan(MOST_PER_BYTE)
    // Four times the length; what is built once may come on top.
    expect(large).toBeLessThan(5 * small + 50 * SMALL)
  })

  it('of documents made of marks at random', async () => {
    for (let seed = 0; seed < (isAll ? 200 : 40); seed++) {
      const text = randomMarkdown(seed, SMALL)
      expect([seed, (await workOf(text)) < MOST_PER_BYTE * text.length]).toEqual([seed, true])
    }
  })
})
