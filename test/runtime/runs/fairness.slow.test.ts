/** A tenant with many background runs does not hold up the others; `npm run soak` offers more. */
import { expect, it } from 'vitest'
import { offerLoad } from './fairness.ts'

it('small tenants wait at most twice as long beside a large one', async () => {
  const small = { smallTenants: 10, small: 4 }
  const alone = await offerLoad({ large: 0, ...small })
  const beside = await offerLoad({ large: 130, ...small })
  expect([...alone.problems, ...beside.problems]).toEqual([])
  expect(beside.refused).toBeGreaterThan(0)
  // In runs that ended before: times depend on what else the machine does.
  expect(beside.meanWait).toBeLessThanOrEqual(2 * alone.meanWait)
}, 300_000)
