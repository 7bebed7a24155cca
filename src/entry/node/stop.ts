/** Notices that the server shall end: by a signal, or because the npm that started it is gone. */

/** Ctrl-C reaches every process of a terminal, and npm passes it on once more: still it is asked for once. */
const SAME_SIGNAL_MS = 500
const WATCH_MS = 250

/** Calls `stop` once, and `force` when that takes too long for whoever asked. */
export function whenStopped(stop: () => Promise<void>, force: () => void): void {
  let since: number | undefined
  const ask = () => {
    if (since === undefined) {
      since = Date.now()
      void stop()
    } else if (Date.now() - since > SAME_SIGNAL_MS) force()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, ask)

  // `npm start` has no shell in between, so npm's signals arrive; but a killed npm sends none. Started by hand,
  // a server may outlive its shell.
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    if (since === undefined) ask()
  }, WATCH_MS)
  watch.unref()
}
