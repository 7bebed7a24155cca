/** Runs many jobs, a few or one at a time. */

/** What the running jobs may use together. */
export interface Room {
  readonly jobs: number
  readonly bytes: number
}

/** Runs `job` for each item within `room`, or alone if it is too large. Jobs must not reject. */
export async function inParallel<T>(
  items: Iterable<T>,
  room: Room,
  bytesOf: (item: T) => number,
  job: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  let bytes = 0
  for (const item of items) {
    const needed = bytesOf(item)
    while (running.size >= room.jobs || (running.size > 0 && bytes + needed > room.bytes)) {
      await Promise.race(running)
    }
    bytes += needed
    const done = job(item).finally(() => {
      bytes -= needed
      running.delete(done)
    })
    running.add(done)
  }
  await Promise.all(running)
}

/** Runs what it is given one after the other. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work, work)
    last = done
    return done
  }
}
