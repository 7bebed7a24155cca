/** Ends this process on a signal, and when the npm that started it is gone. */
import { readFileSync } from 'node:fs'

const GRACE_MS = 1_500
const WATCH_MS = 250

/**
 * Calls `dispose`, then ends the process, on the first signal or when a parent is gone.
 * npm answers SIGTERM by ending its shell, not us; killed, it ends neither.
 */
export function stopWithParent(dispose: () => Promise<void>): void {
  const stop = () => {
    setTimeout(() => process.exit(0), GRACE_MS)
    void dispose().finally(() => process.exit(0))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
  // Started by hand it may outlive the shell, as `nohup` wants it to.
  if (process.env.npm_lifecycle_event === undefined) return
  const family = ancestors()
  const watch = setInterval(() => {
    if (ancestors() === family) return
    clearInterval(watch)
    stop()
  }, WATCH_MS)
  watch.unref()
}

/** The ids of the parent, which is npm or its shell, and of the parent's parent where /proc tells. */
function ancestors(): string {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
    // The name in the second field may hold spaces and parentheses; the fourth is the parent.
    return `${process.ppid} ${stat.slice(stat.lastIndexOf(')')).split(' ')[2]}`
  } catch {
    return String(process.ppid)
  }
}
