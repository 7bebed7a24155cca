/** Batches, which one revision of the protocol knows: each message of one may be a run. */
import { AppError } from '../errors.ts'

const MAX_MESSAGES = 10

interface Message {
  readonly id?: unknown
  readonly method?: unknown
}

/**
 * The messages that can be answered together.
 *
 * @throws {AppError} `too_large`, and `invalid_request` for ids that are not told apart.
 */
export function checkBatch(batch: readonly unknown[]): readonly unknown[] {
  if (batch.length > MAX_MESSAGES) {
    throw new AppError('too_large', `A batch may hold ${MAX_MESSAGES} messages.`)
  }
  const messages = batch.map((message) => (message ?? {}) as Message)
  const ids = messages.flatMap(({ id, method }) => (method && id !== undefined ? [id] : []))
  // Of two calls with the same id, one would go on when its caller has gone.
  if (new Set(ids).size < ids.length) {
    throw new AppError('invalid_request', 'Every request of a batch needs an id of its own.')
  }
  // A call that is cancelled is never answered, and the answer of a batch ends with the last of its own.
  const lasting = messages.filter(({ method }) => method !== 'notifications/cancelled')
  return lasting.length > 0 ? lasting : batch
}
