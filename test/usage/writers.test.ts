/** Writers of one tenant that meet at the edge of its quota, on R2 in workerd too. */
import { expect, it } from 'vitest'
import { makeApp, runtimeStorage } from '../support/make-app.ts'
import { raceWriters } from './race-writers.ts'

it(
  'never store more than allowed, and say clearly what was refused',
  { timeout: 60_000 },
  async () => {
    const storage = await runtimeStorage()
    const quotaBytes = 100_000
    const env = { QUOTA_BYTES: String(quotaBytes) }
    const apps = [await makeApp({ storage, env }), await makeApp({ storage, env })]
    const { tenant } = apps[0]!
    const race = { apps, tenant, quotaBytes, writers: 12, rounds: 2, fileBytes: 6_000 }
    const { accepted, refused } = await raceWriters(race)
    expect(refused).toBeGreaterThan(0)
    // Files that fit are let in: a quota that lets nothing in would be easy.
    expect(accepted).toBeGreaterThanOrEqual(10)
  },
)
