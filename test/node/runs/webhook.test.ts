/** Webhooks as they arrive, verified by the library of Standard Webhooks. */
import { createHmac } from 'node:crypto'
import { WebhookVerificationError } from 'standardwebhooks'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { notifyEnd, webhookKey, type Notice } from '../../../src/operations/runs/notify.ts'
import { makeApp } from '../../support/make-app.ts'
import { sendText, startApi, type SeenRequest } from '../sdk/start-api.ts'
import { SECRET, startReceiver, verified, type Message } from './webhook-receiver.ts'

const ENDED = new Date('2026-11-17T12:00:00.700Z')

const receiver = await startReceiver()
afterAll(() => receiver.stop())
afterEach(() => void vi.useRealTimers())

/** A service whose clock stands at the end of the run. */
async function makeService({ hosts, apiCallMs }: { hosts?: string; apiCallMs?: number } = {}) {
  const env = { ...receiver.env, ...(hosts && { WEBHOOK_HOSTS: hosts }) }
  const clock = { now: ENDED }
  const { service, events } = await makeApp({
    env,
    limits: { ...(apiCallMs && { apiCallMs }) },
    now: () => clock.now,
  })
  return { service, events, clock }
}

const notice = (changes: Partial<Notice> = {}): Notice => ({
  url: `${receiver.origin}/hooks/top-secret?key=1`,
  tenant: 'acme',
  id: 'r1',
  status: 'succeeded',
  endedAt: ENDED,
  ...changes,
})

const event = (rest: object) => ({
  event: 'webhook',
  request_id: 'r1',
  tenant: 'acme',
  host: `127.0.0.1:${receiver.port}`,
  ...rest,
})

/** As the library sees it when it arrives, unless it says otherwise. */
const checked = (message: Message, { at = ENDED, tenant = 'acme' } = {}) =>
  verified(message, { at, tenant })

async function received(): Promise<SeenRequest> {
  receiver.answerWith(204)
  const { service } = await makeService()
  await notifyEnd(service, notice())
  expect(receiver.seen).toHaveLength(1)
  return receiver.seen[0]!
}

const secondsLater = (seconds: number) => new Date(ENDED.getTime() + seconds * 1000)

describe('a message', () => {
  it('has the id and the status of the run, and nothing else', async () => {
    const { method, target, headers, body } = await received()
    expect([method, target]).toEqual(['POST', '/hooks/top-secret?key=1'])
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'r1',
      'webhook-timestamp': String(Math.floor(ENDED.getTime() / 1000)),
    })
    expect(headers).not.toHaveProperty('authorization')
    expect(body).toBe('{"id":"r1","status":"succeeded"}')
  })

  it('is verified by the library', async () => {
    expect(await checked(await received())).toEqual({ id: 'r1', status: 'succeeded' })
  })

  it.each<[string, (seen: SeenRequest) => Message]>([
    ['another body', (seen) => ({ ...seen, body: seen.body.replace('succeeded', 'failed') })],
    ['another id', (seen) => changed(seen, 'webhook-id', 'r2')],
    ['a later time', (seen) => changed(seen, 'webhook-timestamp', '1794916860')],
    ['a made-up signature', (seen) => changed(seen, 'webhook-signature', `v1,${'A'.repeat(43)}=`)],
    ['no signature', (seen) => changed(seen, 'webhook-signature', '')],
  ])('with %s is refused', async (_, forge) => {
    await expect(checked(forge(await received()))).rejects.toThrow(WebhookVerificationError)
  })

  it('is refused with the key of another tenant', async () => {
    const seen = await received()
    await expect(checked(seen, { tenant: 'acme2' })).rejects.toThrow('No matching signature')
  })

  it('replayed or held back is refused after five minutes', async () => {
    const seen = await received()
    expect(await checked(seen, { at: secondsLater(299) })).toMatchObject({ id: 'r1' })
    await expect(checked(seen, { at: secondsLater(302) })).rejects.toThrow('too old')
    await expect(checked(seen, { at: secondsLater(-302) })).rejects.toThrow('too new')
  })

  it('is signed with a key that an operator can derive', async () => {
    const bytes = createHmac('sha256', SECRET).update('acmé').digest('base64')
    expect(await webhookKey(SECRET, 'acmé')).toBe(`whsec_${bytes}`)
  })
})

function changed(seen: SeenRequest, header: string, value: string) {
  return { ...seen, headers: { ...seen.headers, [header]: value } }
}

describe('a receiver that', () => {
  it('answers 500 five times gets six messages within an hour, each with its own time', async () => {
    let answers = 0
    receiver.answer((_, response) =>
      sendText(response, ++answers < 6 ? 500 : 200, 'text/plain', ''),
    )
    const { service, events, clock } = await makeService()
    const delays: number[] = []
    let isPending = true
    while (isPending) {
      isPending = false
      await notifyEnd(service, notice(), async (delayMs) => {
        isPending = true
        delays.push(delayMs)
        clock.now = new Date(clock.now.getTime() + delayMs)
      })
    }
    expect(delays.map((ms) => ms / 1000)).toEqual([30, 90, 480, 1200, 1800])
    expect(delays.reduce((sum, ms) => sum + ms)).toBe(3_600_000)
    expect(new Set(receiver.seen.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set(['r1']),
    )
    const last = receiver.seen[5]!
    await expect(checked(last, { at: ENDED })).rejects.toThrow('too new')
    expect(await checked(last, { at: secondsLater(3600) })).toMatchObject({ id: 'r1' })
    const failed = event({ outcome: 'retrying', status: 500, problem: 'refused' })
    expect(events).toEqual([
      ...Array.from({ length: 5 }, () => failed),
      event({ outcome: 'delivered', status: 200 }),
    ])
  })

  it('never accepts is given up after an hour', async () => {
    receiver.answerWith(503)
    const { service, events, clock } = await makeService()
    clock.now = secondsLater(3600)
    const tryLater = vi.fn(async () => undefined)
    await notifyEnd(service, notice(), tryLater)
    expect(tryLater).not.toHaveBeenCalled()
    expect(events).toEqual([event({ outcome: 'given_up', status: 503, problem: 'refused' })])
  })

  it('redirects is not followed', async () => {
    receiver.answerWith(307, { Location: `${receiver.origin}/elsewhere` })
    const { service, events } = await makeService()
    const tryLater = vi.fn(async () => undefined)
    await notifyEnd(service, notice(), tryLater)
    expect(receiver.seen.map(({ path }) => path)).toEqual(['/hooks/top-secret'])
    expect(tryLater).toHaveBeenCalledOnce()
    expect(events).toEqual([
      event({ outcome: 'retrying', status: 307, problem: 'a redirect, which is not followed' }),
    ])
  })

  it('says that it is gone is not tried again', async () => {
    receiver.answerWith(410)
    const { service, events } = await makeService()
    const tryLater = vi.fn(async () => undefined)
    await notifyEnd(service, notice(), tryLater)
    expect(tryLater).not.toHaveBeenCalled()
    expect(events).toEqual([event({ outcome: 'given_up', status: 410, problem: 'refused' })])
  })

  it('hangs is left after a while', async () => {
    receiver.answer(() => undefined)
    const { service, events } = await makeService({ apiCallMs: 50 })
    const tryLater = vi.fn(async () => undefined)
    await notifyEnd(service, notice(), tryLater)
    expect(tryLater).toHaveBeenCalledOnce()
    expect(events).toEqual([event({ outcome: 'retrying', problem: 'no answer in time' })])
    expect(await receiver.seen[0]!.left).toBe(true)
  })

  it('answers without end is left at once', async () => {
    receiver.answer((_, response) => {
      response.writeHead(200)
      const flood = () => {
        while (response.write('x'.repeat(65_536)));
      }
      response.on('drain', flood)
      flood()
    })
    const { service, events } = await makeService()
    await notifyEnd(service, notice())
    expect(events).toEqual([event({ outcome: 'delivered', status: 200 })])
    expect(await receiver.seen[0]!.left).toBe(true)
  })

  it('is not there is tried again', async () => {
    const gone = await startApi()
    await gone.stop()
    const { service, events } = await makeService({ hosts: `127.0.0.1:${gone.port}` })
    const tryLater = vi.fn(async () => undefined)
    await notifyEnd(service, notice({ url: gone.origin }), tryLater)
    expect(tryLater).toHaveBeenCalledOnce()
    expect(events).toMatchObject([{ outcome: 'retrying', problem: 'could not be reached' }])
  })

  it('is no longer listed gets nothing', async () => {
    receiver.answerWith(200)
    const { service, events } = await makeService({ hosts: 'hooks.example' })
    const tryLater = vi.fn(async () => undefined)
    await notifyEnd(service, notice(), tryLater)
    expect(receiver.seen).toEqual([])
    expect(tryLater).not.toHaveBeenCalled()
    expect(events).toMatchObject([
      { outcome: 'given_up', problem: 'the host is not in WEBHOOK_HOSTS' },
    ])
  })
})

describe('where messages cannot be delayed', () => {
  it('three are tried within seconds', async () => {
    receiver.answerWith(500)
    const { service, events } = await makeService()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const over = notifyEnd(service, notice())
    await vi.waitFor(() => expect(events).toHaveLength(1))
    await vi.advanceTimersByTimeAsync(1_000)
    await vi.waitFor(() => expect(events).toHaveLength(2))
    await vi.advanceTimersByTimeAsync(5_000)
    await over
    expect(events.map((entry) => 'outcome' in entry && entry.outcome)).toEqual([
      'retrying',
      'retrying',
      'given_up',
    ])
  })
})

it('a failure to delay a message is logged, and nothing is thrown', async () => {
  receiver.answerWith(500)
  const { service, events } = await makeService()
  await notifyEnd(service, notice(), () => Promise.reject(new Error('queue is gone')))
  expect(events).toMatchObject([
    { event: 'webhook', outcome: 'retrying' },
    { event: 'fault', request_id: 'r1', where: 'notify' },
  ])
})

it('no event has more of an address than its host', async () => {
  receiver.answerWith(500)
  const { service, events } = await makeService()
  await notifyEnd(service, notice(), async () => undefined)
  const text = JSON.stringify(events)
  for (const secret of ['top-secret', 'key=1', SECRET, await webhookKey(SECRET, 'acme')]) {
    expect(text).not.toContain(secret)
  }
})
