/** A listing that resumes after failures without duplicates. */
import type { ListEntry, ListOptions, StorageDriver } from './driver.ts'
import { AttemptTimedOut } from './is-transient.ts'
import { compareUtf8, entryName } from './key-order.ts'
import { pauseAfter, type BackoffOptions } from './backoff.ts'

/**
 * Restarts after a failure and skips what was yielded: objects and prefixes are each sorted, so the
 * last of each suffices. Every new entry resets the failure count.
 *
 * @param stepMs Time limit for the next entry.
 */
export async function* listAgain(
  storage: StorageDriver,
  prefix: string,
  options: ListOptions,
  backoff: BackoffOptions & { readonly stepMs: number },
): AsyncGenerator<ListEntry> {
  const { limit = Infinity, ...rest } = options
  const last: Partial<Record<ListEntry['kind'], string>> = {}
  let yielded = 0
  for (let failures = 1; ; failures++) {
    try {
      // A restart may meet new entries: only yielded ones count.
      const wanted = yielded === 0 ? options : rest
      for await (const entry of withStepLimit(storage, prefix, wanted, backoff.stepMs)) {
        const previous = last[entry.kind]
        if (previous !== undefined && compareUtf8(entryName(entry), previous) <= 0) continue
        last[entry.kind] = entryName(entry)
        failures = 0
        yield entry
        if (++yielded >= limit) return
      }
      return
    } catch (error) {
      await pauseAfter(error, failures, backoff, options.signal)
    }
  }
}

/** Does not count the consumer's time. */
async function* withStepLimit(
  storage: StorageDriver,
  prefix: string,
  options: ListOptions,
  stepMs: number,
): AsyncGenerator<ListEntry> {
  const ending = new AbortController()
  const signals = [ending.signal, ...(options.signal ? [options.signal] : [])]
  const listing = storage.list(prefix, { ...options, signal: AbortSignal.any(signals) })
  const entries = listing[Symbol.asyncIterator]()
  try {
    for (;;) {
      const timer = setTimeout(() => ending.abort(new AttemptTimedOut(stepMs)), stepMs)
      const step = await entries.next().finally(() => clearTimeout(timer))
      if (step.done) return
      yield step.value
    }
  } finally {
    await entries.return?.()
  }
}
