/** The consumer of the queue on Workers while the store is down. */
import { resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ROOT } from '../../../infra/root.ts'
import { startWorker } from '../../node/start-worker.ts'
import { callerOf } from '../../support/caller.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { sharedS3 } from '../../support/local-s3.ts'

const s3 = await sharedS3()
const proxy = await startFaultProxy(s3.endpoint)
const worker = await startWorker({
  entry: resolve(ROOT, 'src/entry/workers-s3.ts'),
  vars: { ...s3.vars, STORAGE: 's3', S3_ENDPOINT: proxy.endpoint },
})
const caller = callerOf(() => worker.origin, `-${crypto.randomUUID()}`)

afterAll(async () => {
  await worker.stop()
  await proxy.stop()
})

it('a run that cannot be claimed is delivered again, and runs once', async () => {
  let failures = 0
  proxy.follow(({ method, path }) => {
    const isClaiming = method === 'GET' && path.includes('/records/')
    return isClaiming && failures++ === 0 ? 403 : undefined
  })
  const script = 'io.open("log.txt", "a"):write("ran\\n"):close()'
  const started = await caller.post('acme', '/execute', { script, background: true })
  const run = await caller.send('acme', `${started.headers.get('Location')}?wait=30`)
  expect(await run.json()).toMatchObject({ status: 'succeeded' })
  expect(worker.events).toContainEqual(expect.objectContaining({ event: 'fault', where: 'queue' }))
  const { result } = await caller.run('acme', 'return io.open("log.txt"):read("a")')
  expect(result).toBe('ran\n')
})
