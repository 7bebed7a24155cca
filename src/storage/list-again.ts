/** A listing that goes on after a failure and tells nothing twice. */
import type { ListEntry, ListOptions, StorageDriver } from './driver.ts'
import { AttemptTimedOut } from './is-transient.ts'
import { compareUtf8, nameOf } from './key-order.ts'
import { pauseAfter, type Patience } from './backoff.ts'

/**
 * After a failure it starts over and leaves out what was told: stores list objects in order and prefixes
 * in order, so the last of each is all there is to remember. Failures count from the last news.
 *
 * @param stepMs What the store may take for the next entry.
 */
export async function* listAgain(
  storage: StorageDriver,
  prefix: string,
  options: ListOptions,
  patience: Patience & { readonly stepMs: number },
): AsyncGenerator<ListEntry> {
  const { limit = Infinity, ...rest } = options
  const last: Partial<Record<ListEntry['kind'], string>> = {}
  let told = 0
  for (let failures = 1; ; failures++) {
    try {
      // Another try may meet entries that are new: only those told count.
      const wanted = told === 0 ? options : rest
      for await (const entry of stepByStep(storage, prefix, wanted, patience.stepMs)) {
        const before = last[entry.kind]
        if (before !== undefined && compareUtf8(nameOf(entry), before) <= 0) continue
        last[entry.kind] = nameOf(entry)
        failures = 0
        yield entry
        if (++told >= limit) return
      }
      return
    } catch (error) {
      await pauseAfter(error, failures, patience, options.signal)
    }
  }
}

/** The time of whoever reads the entries does not count. */
async function* stepByStep(
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
