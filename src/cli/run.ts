/** `moonbucket run`: runs a script, streams its logs and prints its result. */
import { readFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { AppError, UsageError } from '../errors.ts'
import type { LogEvent } from '../operations/log-event.ts'
import { execute } from '../operations/run/execute.ts'
import { jsonText, type RawJson } from '../lib/json/raw-json.ts'
import type { RunOptions, Terminal } from './options.ts'
import { planText } from './plan-text.ts'
import { localContext, localService } from './local-service.ts'

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

async function readScript(path: string, { folder, stdin }: Terminal): Promise<string> {
  const reading = path === '-' ? buffer(stdin) : readFile(resolve(folder, path))
  const bytes = await reading.catch((error: NodeJS.ErrnoException) => {
    const problem = error.code === 'ENOENT' ? ': no such file' : ` (${error.code})`
    throw new UsageError(`the script ${JSON.stringify(path)} cannot be read${problem}`)
  })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`the script ${JSON.stringify(path)} is not UTF-8`)
  }
}

/** Strings are printed raw for pipes; everything else as JSON. */
function resultText(resultJson: string): string {
  if (resultJson === 'null') return ''
  const text = resultJson.startsWith('"') ? (JSON.parse(resultJson) as string) : resultJson
  return text.endsWith('\n') ? text : `${text}\n`
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
