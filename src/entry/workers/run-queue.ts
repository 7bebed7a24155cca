/** Background runs through Cloudflare Queues: this Worker is the producer and the consumer. */
import type { MessageBatch, Queue } from '@cloudflare/workers-types'
import { faultEvent } from '../../operations/log-event.ts'
import { runQueued } from '../../operations/runs/run-queued.ts'
import type { RunQueue } from '../../operations/runs/run-queue.ts'
import type { Service } from '../../operations/service.ts'

/** The retention with which `docs/deploy.md` creates the queue. */
const KEEPS_MS = 24 * 3600 * 1000

/** The platform ends queue and cron handlers after 15 minutes; the rest is for tidying up. */
export const HANDLER_MS = 870_000

const FIRST_RETRY_S = 10
/** With `max_retries = 100`, the last attempt comes when the queue gives up the message anyway. */
const MAX_RETRY_S = 900

export function cloudflareQueue(queue: Queue): RunQueue {
  return {
    async send(ref) {
      await queue.send(ref, { contentType: 'text' })
    },
    async sendLater(ref, delayMs) {
      await queue.send(ref, { contentType: 'text', delaySeconds: Math.ceil(delayMs / 1000) })
    },
    keepsMs: KEEPS_MS,
  }
}

/**
 * Retries what could not be claimed, such as while the store is down. A message that is delivered
 * again after the claim does nothing, so no run starts twice.
 */
export async function consumeRuns(service: Service, { messages }: MessageBatch): Promise<void> {
  for (const message of messages) {
    try {
      // Also of a run that had to wait for memory first.
      await runQueued(service, String(message.body), AbortSignal.timeout(HANDLER_MS))
      message.ack()
    } catch (error) {
      service.log(faultEvent('none', 'queue', error))
      const delaySeconds = Math.min(FIRST_RETRY_S * 2 ** (message.attempts - 1), MAX_RETRY_S)
      message.retry({ delaySeconds })
    }
  }
}
