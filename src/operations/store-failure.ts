/** What callers see when the service's own objects cannot be read or written. */
import { AppError } from '../errors.ts'
import { PreconditionFailed } from '../storage/driver.ts'

/** An unmet condition is an answer of the store, not a failure. */
export function storeFailure(cause: unknown): Error {
  if (cause instanceof PreconditionFailed || cause instanceof AppError) return cause
  const message = 'The store cannot be reached right now. Try again shortly.'
  return new AppError('storage_unavailable', message, { cause })
}
