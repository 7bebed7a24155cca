/** Kills at the moments that matter: around the claim, around storing, and before the record. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callerOf } from '../../support/caller.ts'
import { startFaultProxy, type FaultProxy, type Seen } from '../../support/fault-proxy.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { lambdaEngine, nodeEngine, workersEngine } from './engines.ts'
import { laterReader, storedRows } from './later-reader.ts'

const SCRIPT = 'io.open("a.txt", "w"):write("a"):close() return 1'

interface Moment {
  readonly title: string
  /** Its process is killed when it sends this request, which the store does not get. */
  readonly isRequest: (seen: Seen) => boolean
  readonly status: 'lost' | 'succeeded'
  readonly hasStarted: boolean
  readonly hasStored: boolean
}

const MOMENTS: readonly Moment[] = [
  {
    title: 'before the claim',
    isRequest: isPut(/\/records\//, 1),
    status: 'lost',
    hasStarted: false,
    hasStored: false,
  },
  {
    title: 'after the claim',
    isRequest: ({ method, path }) => method === 'GET' && path.includes('/inputs/'),
    status: 'lost',
    hasStarted: true,
    hasStored: false,
  },
  {
    title: 'before it names what it stores',
    isRequest: isPut(/\/storing\//),
    status: 'lost',
    hasStarted: true,
    hasStored: false,
  },
  {
    title: 'before it stores',
    isRequest: isPut(/\/a\.txt$/),
    status: 'lost',
    hasStarted: true,
    hasStored: false,
  },
  {
    title: 'before its answer is stored',
    isRequest: isPut(/\/answers\//),
    status: 'lost',
    hasStarted: true,
    hasStored: true,
  },
  {
    title: 'before its record says that it ended',
    isRequest: isPut(/\/records\//, 2),
    status: 'succeeded',
    hasStarted: true,
    hasStored: true,
  },
]

let proxy: FaultProxy
beforeAll(async () => {
  proxy = await startFaultProxy((await sharedS3()).endpoint)
})
afterAll(() => proxy.stop())

/** No event comes twice: requests are counted. */
const ENGINES = [nodeEngine(), workersEngine(), lambdaEngine(Infinity)]

describe.each(ENGINES)('on $name', (engine) => {
  afterAll(() => engine.stop())

  it.each(MOMENTS)('a run whose process dies $title', async (moment) => {
    const tenant = `moments-${crypto.randomUUID()}`
    const service = await engine.start({ S3_ENDPOINT: proxy.endpoint })
    const isDead = killAt(moment, service.kill)
    const caller = callerOf(() => service.origin)
    await caller.post(tenant, '/execute', { script: SCRIPT, background: true })
    await isDead

    const reader = await laterReader(tenant)
    const ids = await reader.runIds()
    const run = await reader.run(ids[0]!)
    const { status, started_at } = run
    const rows = storedRows(run).map(({ name, bytes }) => ({ name, bytes }))
    const { hasStarted, hasStored } = moment
    expect([ids.length, status, started_at !== null, rows, await reader.text('a.txt')]).toEqual([
      1,
      moment.status,
      hasStarted,
      hasStored ? [{ name: 'a.txt', bytes: 1 }] : [],
      hasStored ? 'a' : null,
    ])
  })
})

function killAt({ isRequest }: Moment, kill: () => Promise<void>): Promise<void> {
  return new Promise((done) => {
    let isOver = false
    proxy.follow(async (seen) => {
      if (isOver || !isRequest(seen)) return undefined
      isOver = true
      await kill()
      done()
      return 'reset'
    })
  })
}

/** @param before How often the same was put. */
function isPut(path: RegExp, before = 0): Moment['isRequest'] {
  return (seen) => seen.method === 'PUT' && path.test(seen.path) && seen.before === before
}
