/** Sends progress notifications for calls that request them. */
import type { ServerContext } from '@modelcontextprotocol/server'

/** Heartbeat of a quiet run: hosts time out silent calls. */
const HEARTBEAT_MS = 5_000
/** Throttle: scripts may log thousands of lines a second; the latest is enough. */
const PAUSE_MS = 100
const MAX_CHARACTERS = 200

/** Runs `use` with a function that reports progress until `use` ends. */
export async function withProgress<T>(
  { mcpReq }: ServerContext,
  use: (report: (message: string) => void) => Promise<T>,
): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return use(() => undefined)

  const started = Date.now()
  let progress = 0
  let waiting: string | undefined
  let pause: ReturnType<typeof setTimeout> | undefined
  let heartbeat = beatLater()

  function beatLater() {
    const seconds = () => Math.round((Date.now() - started) / 1000)
    return setTimeout(() => report(`Running for ${seconds()} s`), HEARTBEAT_MS)
  }

  function send(message: string): void {
    clearTimeout(heartbeat)
    heartbeat = beatLater()
    const params = { progressToken, progress: ++progress, message }
    // Ignored: the call itself detects that the client has disconnected.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }

  function report(message: string): void {
    const text = Array.from(message.slice(0, 2 * MAX_CHARACTERS))
      .slice(0, MAX_CHARACTERS)
      .join('')
    if (pause !== undefined) {
      waiting = text
      return
    }
    send(text)
    pause = setTimeout(() => {
      pause = undefined
      const last = waiting
      waiting = undefined
      if (last !== undefined) report(last)
    }, PAUSE_MS)
  }

  try {
    return await use(report)
  } finally {
    clearTimeout(pause)
    clearTimeout(heartbeat)
  }
}
