/** Exits on a signal, or when the npm parent is gone. */
import { readFileSync } from 'node:fs'

const GRACE_MS = 1_500
const WATCH_MS = 250

/** Calls `dispose`, then exits. */
export function stopWithParent(dispose: () => Promise<void>): void {
  const stop = () => {
    setTimeout(() => process.exit(0), GRACE_MS)
    void dispose().finally(() => process.exit(0))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
  whenOrphaned(stop)
}

/** Calls `stop` when npm is gone: on SIGTERM it ends only its shell; killed, it ends nothing. */
export function whenOrphaned(stop: () => void): void {
  // Started by hand it may outlive its shell, as with `nohup`.
  if (process.env.npm_lifecycle_event === undefined) return
  const family = ancestors()
  const watch = setInterval(() => {
    if (ancestors() === family) return
    clearInterval(watch)
    stop()
  }, WATCH_MS)
  watch.unref()
}

/** Ids of the parent (npm or its shell) and, with /proc, the grandparent. */
function ancestors(): string {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
    // The second field may contain spaces and parentheses; the fourth is the parent.
    return `${process.ppid} ${stat.slice(stat.lastIndexOf(')')).split(' ')[2]}`
  } catch {
    return String(process.ppid)
  }
}
