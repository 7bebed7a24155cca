/** The service on an S3 store, with its requests counted on the way. */
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { retrying } from '../../../src/storage/retrying.ts'
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { makeApp } from '../../support/make-app.ts'

const s3 = await sharedS3()
const proxy = await startFaultProxy(s3.endpoint)
afterAll(() => proxy.stop())
beforeEach(() => proxy.follow(() => undefined))
afterEach(() => void vi.useRealTimers())

const makeS3App = (changed: object = {}) => {
  const settings = { ...s3.settings, endpoint: proxy.endpoint, ...changed }
  const patience = { attempts: 2, firstPauseMs: 1, maxPauseMs: 2 }
  return makeApp({ storage: retrying(s3Storage(settings), patience) })
}

/** How many requests of a kind there were. */
const countOf = (method: string) =>
  [...proxy.counts].reduce((sum, [name, n]) => sum + (name.startsWith(`${method} `) ? n : 0), 0)

describe('a run on S3', () => {
  it('that closes one file a hundred times puts it once', async () => {
    const { run } = await makeS3App()
    await run('for i = 1, 100 do io.open("log", "a"):write(i, "\\n"):close() end')
    expect(countOf('PUT')).toBe(1)
  })

  it('that removes its temporary file puts nothing', async () => {
    const { run } = await makeS3App()
    await run('io.open("tmp/x", "w"):write("1"):close() os.remove("tmp/x")')
    expect(countOf('PUT')).toBe(0)
  })

  it('that appends 8,192 times sends what it wrote, not what it wrote so far each time', async () => {
    // A run that pauses stores what it has; with no clock it pauses by fuel alone.
    vi.useFakeTimers({ toFake: ['Date'] })
    const { run } = await makeS3App()
    const script =
      'for i = 1, 8192 do io.open("log", "a"):write(("x"):rep(1023), "\\n"):close() end'
    const { files_touched } = await run(script)
    expect(files_touched).toMatchObject([{ name: 'log', bytes: 8 * 1024 * 1024 }])
    expect(countOf('PUT')).toBeLessThanOrEqual(2)
  })

  it('shares a file with nineteen others, and no line of theirs is lost or doubled', async () => {
    const { run, textsUnder } = await makeS3App()
    const script = (name: number) =>
      `for i = 1, 50 do io.open("share/log", "a"):write("${name}-", i, "\\n"):close() end`
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => run(script(i))))
    expect(answers.filter(({ error }) => error)).toEqual([])
    const [log = ''] = Object.values(await textsUnder())
    const lines = log.trimEnd().split('\n')
    expect([lines.length, new Set(lines).size]).toEqual([1000, 1000])
  })
})

it.each([
  ['a wrong secret', { secretAccessKey: 'other' }, /S3_SECRET_ACCESS_KEY|credentials/],
  ['an unknown key', { accessKeyId: 'nobody' }, /S3_ACCESS_KEY_ID/],
  ['no such bucket', { bucket: 'none' }, /bucket|credentials/],
])(
  'a store misconfigured by %s is reported to the operator, not to the caller',
  async (_, changed, hint) => {
    const { run, events, app } = await makeS3App(changed)
    const answer = await run('io.open("a", "w"):write("1"):close() return io.open("b")')
    expect(answer.error?.kind).toBe('storage')
    expect(answer.files_touched).toEqual([{ name: 'a', op: 'write', bytes: 1, stored: false }])
    const faults = events.flatMap((event) => (event.event === 'fault' ? [event.hint] : []))
    expect(faults).toEqual([expect.stringMatching(hint)])
    const ready = await app.request('/health/ready')
    expect([ready.status, ready.headers.get('Retry-After')]).toEqual([503, '10'])
  },
)
