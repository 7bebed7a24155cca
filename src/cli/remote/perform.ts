/** Runs a command that talks to a service: signals, and refusals as one line. */
import { constants } from 'node:os'
import { MoonbucketError } from '../../client/index.ts'
import type { Terminal } from '../options.ts'
import { paint, plain } from './output.ts'
import { remoteCommand, type RemoteInput, type RemoteName } from './commands.ts'

const REFUSED_EXIT_CODE = 1

export async function performRemote(
  name: RemoteName,
  input: RemoteInput,
  terminal: Terminal,
): Promise<number> {
  const act = await remoteCommand(name).load()
  return withSignals(terminal, (signal) => act(input, terminal, signal))
}

/** Ctrl-C ends what is under way; refusals are printed. @throws {UsageError} */
export async function withSignals(
  terminal: Terminal,
  action: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const { signals, stderr } = terminal
  const stop = new AbortController()
  let stoppedBy: NodeJS.Signals | undefined
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const onSignal = (signal: NodeJS.Signals) => {
    stoppedBy ??= signal
    stop.abort()
  }
  for (const name of names) signals.on(name, onSignal)
  try {
    const exitCode = await action(stop.signal)
    return stoppedBy ? 128 + constants.signals[stoppedBy] : exitCode
  } catch (error) {
    if (stoppedBy) {
      stderr.write(`moonbucket: stopped by ${stoppedBy}\n`)
      return 128 + constants.signals[stoppedBy]
    }
    if (!(error instanceof MoonbucketError)) throw error
    const { message, requestId, status } = error
    const reference = status >= 500 && requestId ? ` (request ${requestId})` : ''
    stderr.write(`${paint(terminal, stderr, 'red', 'moonbucket:')} ${plain(message)}${reference}\n`)
    return REFUSED_EXIT_CODE
  } finally {
    for (const name of names) signals.off(name, onSignal)
  }
}
