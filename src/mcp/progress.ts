/** Tells a caller who asked for it how far a call has come. */
import type { ServerContext } from '@modelcontextprotocol/server'

/** Of a run that says nothing: hosts give up on what stays silent. */
const SILENCE_MS = 5_000
/** A script may log thousands of lines a second; what it said last is enough. */
const PAUSE_MS = 100
const MAX_CHARACTERS = 200

/** Something to say while a call goes on. */
export interface Progress {
  say(message: string): void
}

const NOBODY: Progress = { say: () => undefined }

/** Lends `use` a way to report, which ends with it. */
export async function withProgress<T>(
  { mcpReq }: ServerContext,
  use: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return use(NOBODY)

  const started = Date.now()
  let progress = 0
  let waiting: string | undefined
  let pause: ReturnType<typeof setTimeout> | undefined
  let silence = breakSilenceLater()

  function breakSilenceLater() {
    const seconds = () => Math.round((Date.now() - started) / 1000)
    return setTimeout(() => say(`Running for ${seconds()} s`), SILENCE_MS)
  }

  function send(message: string): void {
    clearTimeout(silence)
    silence = breakSilenceLater()
    const params = { progressToken, progress: ++progress, message }
    // Whoever does not listen any more is told nothing; the call itself finds out that they left.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }

  function say(message: string): void {
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
      if (last !== undefined) say(last)
    }, PAUSE_MS)
  }

  try {
    return await use({ say })
  } finally {
    clearTimeout(pause)
    clearTimeout(silence)
  }
}
