/** Background runs on Lambda: the events that the function sends to itself. */
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { callerOf } from '../../support/caller.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { makeGate } from '../../support/gate.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { startLambda } from '../start-lambda.ts'
import { leaveOldRun } from './old-run.ts'
import type { LambdaServiceOptions } from './lambda-service.ts'
import { isAll } from '../../support/tier.ts'

const SCRIPT = 'io.open("log.txt", "a"):write(args, "\\n"):close() return args'

const sent: unknown[] = []
/** Every event comes twice. */
const usual = await startLambda({}, undefined, { isDoubled: () => true, onEvent })
afterAll(() => usual.stop())
const caller = callerOf(() => usual.origin, `-${crypto.randomUUID()}`)

function onEvent(event: unknown): void {
  sent.push(event)
}

async function start(
  vars: Readonly<Record<string, string>>,
  delivery: Partial<LambdaServiceOptions>,
) {
  const one = await startLambda(vars, undefined, delivery)
  onTestFinished(() => one.stop())
  return { ...one, ...callerOf(() => one.origin, `-${crypto.randomUUID()}`) }
}

async function startProxy() {
  const { endpoint } = await sharedS3()
  const proxy = await startFaultProxy(endpoint)
  onTestFinished(() => proxy.stop())
  return proxy
}

it('an event that comes twice runs once, and one that comes late does nothing', async () => {
  const body = { script: SCRIPT, args: 'once', background: true }
  const response = await caller.post('acme', '/execute', body)
  expect([response.status, response.headers.get('Location')]).toEqual([
    202,
    expect.stringMatching(/^\/runs\/\w+$/),
  ])
  const run = await (
    await caller.send('acme', `${response.headers.get('Location')}?wait=30`)
  ).json()
  expect(run).toMatchObject({ status: 'succeeded', answer: { result: 'once' } })
  const [event] = sent.splice(0)
  expect(event).toEqual({ run: expect.stringMatching(/^[\w-]+\/[\w/-]+$/) })
  await usual.invokeAsync(event)
  const { result } = await caller.run('acme', 'return io.open("log.txt"):read("a")')
  expect(result).toBe('once\n')
})

it.runIf(isAll)('of two processes that claim a run at the same time, one runs it', async () => {
  const proxy = await startProxy()
  const events: unknown[] = []
  const one = await start(
    { S3_ENDPOINT: proxy.endpoint },
    { isHeld: () => new Promise(() => undefined), onEvent: (event) => events.push(event) },
  )
  await one.post('acme', '/execute', { script: SCRIPT, args: 'once', background: true })
  const bothClaim = makeGate()
  let claims = 0
  proxy.follow(async ({ method, path }) => {
    if (method !== 'PUT' || !path.includes('/records/') || claims === 2) return undefined
    if (++claims === 2) bothClaim.open()
    await bothClaim.opened
    return undefined
  })
  await Promise.all([one.invokeAsync(events[0]), one.invokeAsync(events[0])])
  const { result } = await one.run('acme', 'return io.open("log.txt"):read("a")')
  expect([claims, result]).toEqual([2, 'once\n'])
})

it.each([
  ['a run that is not there', { run: 'acme/users/alice/000000000000000000000000' }],
  ['no name of a run', { run: '../../etc' }],
])('an event of %s does no harm', async (_, event) => {
  await expect(usual.invokeAsync(event)).resolves.toBeUndefined()
})

it('a run whose record cannot be read becomes a dead letter, without detail', async () => {
  const proxy = await startProxy()
  const letters: [unknown, string][] = []
  const [accepted, dead] = [makeGate(), makeGate()]
  const one = await start(
    { S3_ENDPOINT: proxy.endpoint },
    {
      isHeld: () => accepted.opened,
      onDeadLetter(event, { message }) {
        letters.push([event, message])
        dead.open()
      },
    },
  )
  const response = await one.post('acme', '/execute', { script: 'return 1', background: true })
  expect(response.status).toBe(202)
  proxy.follow(() => 403)
  accepted.open()
  await dead.opened
  expect(letters).toEqual([[{ run: expect.any(String) }, 'the event could not be handled']])
})

it('a run that cannot be sent is refused, and leaves nothing', async () => {
  const one = await start({ AWS_SECRET_ACCESS_KEY: 'of another role' }, {})
  const response = await one.post('acme', '/execute', { script: 'return 1', background: true })
  expect([response.status, await response.text()]).toEqual([
    503,
    expect.not.stringMatching(/lambda|invoke|moonbucket/i),
  ])
  expect(await (await one.send('acme', '/runs')).json()).toEqual({ runs: [] })
})

it('the schedule deletes old runs', async () => {
  const { settings } = await sharedS3()
  const old = await leaveOldRun(s3Storage(settings))
  await usual.invokeAsync({ sweep: true })
  expect(await old.isThere()).toBe(false)
})
