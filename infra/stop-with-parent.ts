/** Exits on a signal, or when the npm parent is gone. */
import { readFileSync } from 'node:fs'
import { once } from '../src/lib/once.ts'

const GRACE_MS = 1_500
const WATCH_MS = 250

/** Calls `dispose`, then exits. */
export function stopWithParent(dispose: () => Promise<void>): void {
  const stop = once(() => {
    // Ctrl-C reaches workerd too, and wrangler would report that it crashed.
    for (const stream of [process.stdout, process.stderr]) stream.write = () => true
    setTimeout(() => process.exit(0), GRACE_MS)
    void dispose().finally(() => process.exit(0))
  })
  // Not `once`: npm passes on what the terminal has sent already, and a second signal would end
  // this process before it has cleaned up.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
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
