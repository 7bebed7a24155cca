/** Webhooks on every engine: a receiver that fails once gets its message again. */
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { webhookKey } from '../../../src/operations/runs/notify.ts'
import { SECRET, startReceiver } from '../../node/runs/webhook-receiver.ts'
import { sendText } from '../../node/sdk/start-api.ts'
import { callerOf } from '../../support/caller.ts'
import { allEngines } from './engines.ts'

/** Longer than the pause before the second message, which is half a minute. */
const POLL = { timeout: 90_000 }

describe.each(allEngines())('on $name', (engine) => {
  it('a message that was refused comes again, signed anew', async () => {
    const receiver = await startReceiver()
    onTestFinished(() => receiver.stop())
    const service = await engine.start(receiver.env)
    onTestFinished(async () => {
      await service.kill()
      await engine.stop()
    })
    let messages = 0
    receiver.answer((_, response) => sendText(response, ++messages === 1 ? 500 : 204, 'a/b', ''))
    const suffix = `-${crypto.randomUUID()}`
    const body = { script: 'return 1', background: true, notify: `${receiver.origin}/done` }
    const caller = callerOf(() => service.origin, suffix)
    const response = await caller.post('acme', '/execute', body)
    const { run } = (await response.json()) as { run: { id: string } }
    expect(run).toMatchObject({ status: 'queued' })

    await expect.poll(() => receiver.seen.length, POLL).toBe(2)
    const key = await webhookKey(SECRET, `acme${suffix}`)
    const [first, second] = receiver.seen.map(({ headers, body: text }) => ({
      at: Number(headers['webhook-timestamp']),
      verified: new Webhook(key).verify(text, headers as Record<string, string>),
    }))
    expect(second!.verified).toEqual({ id: run.id, status: 'succeeded' })
    expect(second!.at).toBeGreaterThan(first!.at)
  }, 150_000)
})
