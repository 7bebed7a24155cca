/**
 * Quotas on S3: what they cost there, presigned uploads, and a bad network; FAULT_RUNS makes the
 * last a long test.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { retrying } from '../../../src/storage/retrying.ts'
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { FAULTS, someMeet, startFaultProxy } from '../../support/fault-proxy.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { makeApp, ORIGIN } from '../../support/make-app.ts'
import { everyNth } from '../../support/tier.ts'
import { storedFiles } from '../../usage/make-quota-app.ts'
import { raceWriters } from '../../usage/race-writers.ts'

const PATIENCE = { attempts: 2, firstPauseMs: 1, maxPauseMs: 5, attemptMs: 1_000 }
const SHARE = 0.25
const RUNS = process.env.FAULT_RUNS ? 80 : 8
/** Each of these has to be waited for. */
const STALLED_SHARE = 0.05

const s3 = await sharedS3()
const proxy = await startFaultProxy(s3.endpoint)
const direct = s3Storage(s3.settings)
const storage = retrying(s3Storage({ ...s3.settings, endpoint: proxy.endpoint }), PATIENCE)
afterAll(() => proxy.stop())

const makeS3App = (env: Record<string, string>) => makeApp({ storage, env })

type App = Awaited<ReturnType<typeof makeS3App>>

async function usedBytes(app: App): Promise<number> {
  const usage = (await (await app.send('/usage')).json()) as { stored_bytes: { used: number } }
  return usage.stored_bytes.used
}

describe('on S3', () => {
  it('a run that writes sends two requests more than without a quota', async () => {
    const requestsOf = async (env: Record<string, string>) => {
      const { run } = await makeS3App(env)
      await run('io.open("a", "w"):write("x"):close()')
      proxy.follow(() => undefined)
      await run('for i = 1, 20 do io.open("f" .. i, "w"):write("x"):close() end')
      return [...proxy.counts.values()].reduce((sum, n) => sum + n, 0)
    }
    const without = await requestsOf({})
    expect(await requestsOf({ QUOTA_BYTES: '1000000' })).toBe(without + 2)
  })

  it('writers at the edge of a quota stay below it', async () => {
    proxy.follow(() => undefined)
    const quotaBytes = 20_000
    const app = await makeS3App({ QUOTA_BYTES: String(quotaBytes) })
    const { tenant } = app
    const race = { apps: [app], tenant, quotaBytes, writers: 8, rounds: 2, fileBytes: 3_000 }
    const { accepted, refused } = await raceWriters(race)
    expect(refused).toBeGreaterThan(0)
    expect(accepted).toBeGreaterThanOrEqual(4)
  })

  it('a presigned upload takes its room when the link is made, and keeps it', async () => {
    proxy.follow(() => undefined)
    const made = await makeS3App({ QUOTA_BYTES: '1000' })
    const app = createApp({ service: { ...made.service, presignsUploads: true } })
    const authorization = `Bearer ${await made.tokenOf()}`
    const linkFor = (path: string, bytes: number) =>
      app.request(`${ORIGIN}/links/upload`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: authorization },
        body: JSON.stringify({ path, bytes }),
      })
    const answer = await linkFor('a.txt', 700)
    expect(answer.status).toBe(200)
    const { url, headers } = (await answer.json()) as { url: string; headers: HeadersInit }
    expect((await linkFor('b.txt', 301)).status).toBe(507)
    expect(await usedBytes(made)).toBe(700)
    const sent = await fetch(url, { method: 'PUT', headers, body: 'x'.repeat(700) })
    expect(sent.status).toBe(200)
    const { bytes } = await storedFiles(direct, made.tenant)
    expect(bytes).toBe(700)
    expect(await usedBytes(made)).toBeGreaterThanOrEqual(700)
  })
})

describe.each(everyNth(4, FAULTS))('with %s', (fault) => {
  // A count that fails and cannot say so is waited for, 10 s each time.
  it('what is counted is not below what is stored', { timeout: RUNS * 30_000 }, async () => {
    proxy.follow(() => undefined)
    const app = await makeS3App({ QUOTA_BYTES: '30000' })
    proxy.follow(someMeet(fault, fault === 'stalled answer' ? STALLED_SHARE : SHARE, 3))
    for (let i = 0; i < RUNS; i += 4) {
      await Promise.all(
        Array.from({ length: 4 }, (_, k) =>
          app.run(`
            io.open("f${(i + k) % 7}", "w"):write(("x"):rep(${1000 + 200 * k})):close()
            io.open("log", "a"):write(("y"):rep(150)):close()
          `),
        ),
      )
    }
    proxy.follow(() => undefined)
    const { bytes } = await storedFiles(direct, app.tenant)
    expect(await usedBytes(app)).toBeGreaterThanOrEqual(bytes)
    expect(bytes).toBeLessThanOrEqual(30_000)
  })
})
