/** `moonbucket run`: runs a script, streams its logs and prints its result. */
import { constants } from 'node:os'
import { AppError, UsageError } from '../errors.ts'
import type { LogEvent } from '../operations/log-event.ts'
import { execute } from '../operations/run/execute.ts'
import { jsonText, type RawJson } from '../lib/json/raw-json.ts'
import type { RunOptions, Terminal } from './options.ts'
import { planText } from './plan-text.ts'
import { localContext, localService } from './local-service.ts'
import { readScript, resultText } from './script-file.ts'

const FAILED_EXIT_CODE = 1

/** Returns the exit code. @throws {UsageError} if the script cannot be started. */
export async function runScriptFile(options: RunOptions, terminal: Terminal): Promise<number> {
  const { stdout, stderr, signals } = terminal
  const script = await readScript(options.script, terminal)
  const wantsDemo = /\bsdk\b/.test(script)
  const service = await localService(terminal, { ...options, wantsDemo }, (event) => {
    const fault = faultText(event)
    if (fault !== undefined) stderr.write(`moonbucket: ${fault}\n`)
  })
  const stop = new AbortController()
  let stoppedBy: NodeJS.Signals | undefined
  // Further signals are ignored while closed files are stored.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    signals.on(signal, () => {
      stoppedBy ??= signal
      stop.abort()
    })
  }
  const progress = { onLog: (line: string) => stderr.write(`${line}\n`) }
  const ctx = { ...localContext(service, stop.signal), progress }
  const request = { script, args: options.argsJson, plan: options.isPlan }
  const answer = await execute.run(ctx, request).catch(refuse)
  stdout.write(
    options.wantsJson ? `${jsonText(answer)}\n` : resultText((answer.result as RawJson).text),
  )
  if (answer.plan && !options.wantsJson) stderr.write(planText(answer.plan))
  if (stoppedBy) {
    stderr.write(`moonbucket: stopped by ${stoppedBy}\n`)
    return 128 + constants.signals[stoppedBy]
  }
  if (!answer.error) return 0
  const { message, traceback } = answer.error
  stderr.write(`moonbucket: ${message}${traceback ? `\n${traceback}` : ''}\n`)
  return FAILED_EXIT_CODE
}

/** Shows faults that the answer does not explain, such as folder errors. */
function faultText(event: LogEvent): string | undefined {
  // Reported as the run's error already.
  if (event.event !== 'fault' || /^(Killed|RuntimeError|RangeError): /.test(event.error)) return
  const [first = ''] = event.error.split('\n')
  // Starts with a class name, which bundling may change.
  return first.replace(/^\w+: /, '')
}

function refuse(error: unknown): never {
  throw error instanceof AppError ? new UsageError(error.message) : error
}
