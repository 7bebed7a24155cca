/** Receives webhooks on loopback, and verifies them with the library of Standard Webhooks. */
import { Webhook } from 'standardwebhooks'
import { vi } from 'vitest'
import { webhookKey } from '../../../src/operations/runs/notify.ts'
import { sendText, startApi, type SeenRequest } from '../sdk/start-api.ts'

export const SECRET = 'derives the keys of the tests'

/** As it arrived, or as somebody changed it. */
export type Message = Pick<SeenRequest, 'headers' | 'body'>

export async function startReceiver() {
  const api = await startApi()
  return {
    ...api,
    /** Of a service that may send to it. */
    env: {
      WEBHOOK_HOSTS: `127.0.0.1:${api.port}`,
      WEBHOOK_SECRET: SECRET,
      APIS_ALLOW_LOOPBACK: 'true',
    },
    answerWith(status: number, headers: Readonly<Record<string, string>> = {}) {
      api.answer((_, response) => sendText(response, status, 'text/plain', 'thanks', headers))
    },
  }
}

/**
 * What the library makes of a message at a certain time; leaves the clock there.
 *
 * @throws {WebhookVerificationError}
 */
export async function verified(
  { headers, body }: Message,
  { at, tenant }: { readonly at: Date; readonly tenant: string },
): Promise<unknown> {
  vi.useFakeTimers({ now: at, toFake: ['Date'] })
  const webhook = new Webhook(await webhookKey(SECRET, tenant))
  return webhook.verify(body, headers as Record<string, string>)
}
