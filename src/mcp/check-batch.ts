/** Validates JSON-RPC batches, which one protocol revision allows. */
import { AppError } from '../errors.ts'

const MAX_MESSAGES = 10

interface Message {
  readonly id?: unknown
  readonly method?: unknown
}

/**
 * Returns the messages that can be answered together.
 *
 * @throws {AppError} `too_large`, and `invalid_request` for duplicate ids.
 */
export function checkBatch(batch: readonly unknown[]): readonly unknown[] {
  if (batch.length > MAX_MESSAGES) {
    throw new AppError('too_large', `A batch may hold ${MAX_MESSAGES} messages.`)
  }
  const messages = batch.map((message) => (message ?? {}) as Message)
  const ids = messages.flatMap(({ id, method }) => (method && id !== undefined ? [id] : []))
  // With duplicate ids, one of the calls would keep running after its client disconnects.
  if (new Set(ids).size < ids.length) {
    throw new AppError('invalid_request', 'Every request of a batch needs an id of its own.')
  }
  // A cancelled call is never answered, and a batch response ends only when all its calls are
  // answered.
  const lasting = messages.filter(({ method }) => method !== 'notifications/cancelled')
  return lasting.length > 0 ? lasting : batch
}
