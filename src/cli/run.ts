/** `moonbucket run`: one script, its logs as they come, its result at the end. */
import { readFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { AppError } from '../errors.ts'
import type { LogEvent } from '../operations/log-event.ts'
import { execute } from '../operations/run/execute.ts'
import { jsonText, type RawJson } from '../lib/raw-json.ts'
import type { RunOptions } from './options.ts'
import type { Terminal } from './terminal.ts'
import { localContext, localService } from './local-service.ts'
import { UsageError } from './local-settings.ts'

const FAILED_EXIT_CODE = 1

/** Gives the exit code. @throws {UsageError} for a script that cannot be started. */
export async function runScriptFile(options: RunOptions, terminal: Terminal): Promise<number> {
  const { folder, stdout, stderr, signals } = terminal
  const script = await readScript(options.script, terminal)
  const service = await localService(folder, options, (event) => {
    const fault = faultText(event)
    if (fault !== undefined) stderr.write(`moonbucket: ${fault}\n`)
  })
  const stop = new AbortController()
  let stoppedBy: NodeJS.Signals | undefined
  // For as long as it takes to store what the script has closed, further ones change nothing.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    signals.on(signal, () => {
      stoppedBy ??= signal
      stop.abort()
    })
  }
  const progress = { onLog: (line: string) => stderr.write(`${line}\n`) }
  const ctx = { ...localContext(service, stop.signal), progress }
  const answer = await execute.run(ctx, { script, args: options.argsJson }).catch(refuse)
  stdout.write(
    options.wantsJson ? `${jsonText(answer)}\n` : resultText((answer.result as RawJson).text),
  )
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
    const problem = error.code === 'ENOENT' ? ': there is no such file' : ` (${error.code})`
    throw new UsageError(`the script ${JSON.stringify(path)} cannot be read${problem}`)
  })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`the script ${JSON.stringify(path)} is not UTF-8`)
  }
}

/** Text is for the next program in a pipe; everything else is JSON already. */
function resultText(resultJson: string): string {
  if (resultJson === 'null') return ''
  const text = resultJson.startsWith('"') ? (JSON.parse(resultJson) as string) : resultJson
  return text.endsWith('\n') ? text : `${text}\n`
}

/** The answer says what a script was told; only here stands why the folder failed. */
function faultText(event: LogEvent): string | undefined {
  // That a run was ended while it waited, or broke its VM, is told as its error.
  if (event.event !== 'fault' || /^(Killed|RuntimeError|RangeError): /.test(event.error)) return
  const [first = ''] = event.error.split('\n')
  // It begins with the name of a class, which may be any once the program is bundled.
  return first.replace(/^\w+: /, '')
}

function refuse(error: unknown): never {
  throw error instanceof AppError ? new UsageError(error.message) : error
}
