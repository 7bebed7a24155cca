/** Stops the server on a signal, or when its npm parent is gone. */

/** Ctrl-C arrives twice, from the terminal and from npm: counts once. */
const SAME_SIGNAL_MS = 500
const WATCH_MS = 250

/** Calls `stop` once, and `force` on a repeated signal. */
export function whenStopped(stop: () => Promise<void>, force: () => void): void {
  let since: number | undefined
  const ask = () => {
    if (since === undefined) {
      since = Date.now()
      void stop()
    } else if (Date.now() - since > SAME_SIGNAL_MS) force()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, ask)

  // A killed npm sends no signal, so its exit is polled. Started by hand, a server may outlive its
  // shell.
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    if (since === undefined) ask()
  }, WATCH_MS)
  watch.unref()
}
