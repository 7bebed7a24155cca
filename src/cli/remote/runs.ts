/** `moonbucket run --remote`, `runs`, `logs` and `cancel`. */
import type { FileRow, RunAnswer, RunEvent, RunState } from '../../client/index.ts'
import { UsageError } from '../../errors.ts'
import type { RunOptions, Terminal } from '../options.ts'
import { planText } from '../plan-text.ts'
import { readScript, resultText } from '../script-file.ts'
import type { RemoteAction, RemoteInput } from './commands.ts'
import { isTerminal, paint, plain, printJson, sizeText, type Colour } from './output.ts'
import { openSession } from './session.ts'

const FAILED_EXIT_CODE = 1

const clientOf = ({ values: { profile } }: Pick<RemoteInput, 'values'>, terminal: Terminal) =>
  openSession(terminal, typeof profile === 'string' ? profile : undefined).client

/** As `moonbucket run`, in a service. */
export async function runRemote(
  options: RunOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const client = clientOf({ values: { profile: options.profile } }, terminal)
  const script = await readScript(options.script, terminal)
  const request = { argsJson: options.argsJson, limits: limitsOf(options), signal }
  if (options.isBackground) {
    if (options.isPlan) throw new UsageError('--plan cannot be used in the background')
    const { id } = await client.background(script, request)
    if (options.wantsJson) printJson(terminal, { id })
    else terminal.stdout.write(`${id}\n`)
    return 0
  }
  const planned = { ...request, plan: options.isPlan }
  return report(client.stream(script, planned), terminal, options.wantsJson)
}

/** @throws {UsageError} */
function limitsOf({ fuel, timeout, memory }: RunOptions): Record<string, number> {
  const given = { fuel, timeout_ms: timeout, memory_bytes: memory }
  const limits = Object.entries(given).flatMap(([name, text]) => {
    if (text === undefined) return []
    if (/^[1-9]\d*$/.test(text)) return [[name, Number(text)]]
    throw new UsageError('limits must be whole numbers above 0')
  })
  return Object.fromEntries(limits) as Record<string, number>
}

/** Logs and files as they come, then the result. */
async function report(
  events: AsyncIterable<RunEvent>,
  terminal: Terminal,
  wantsJson: boolean,
): Promise<number> {
  const { stdout, stderr } = terminal
  for await (const event of events) {
    if (event.type === 'log') stderr.write(`${plain(event.line)}\n`)
    else if (event.type === 'file') showFile(event.file, terminal)
    else if (event.type === 'ended') {
      if (wantsJson) printJson(terminal, event.run)
      stderr.write(`moonbucket: the run is ${event.run.status}\n`)
      return FAILED_EXIT_CODE
    } else {
      const { answer } = event
      if (wantsJson) printJson(terminal, answer)
      else stdout.write(resultText(JSON.stringify(answer.result)))
      if (answer.plan && !wantsJson) stderr.write(planText(answer.plan))
      return reportError(answer, terminal)
    }
  }
  return 0
}

/** For people only: scripts have them in the answer. */
function showFile({ name, op, bytes }: FileRow, terminal: Terminal): void {
  const { stderr } = terminal
  if (!isTerminal(stderr)) return
  const text = op === 'remove' ? `removed ${name}` : `${name} (${sizeText(bytes)})`
  stderr.write(`${paint(terminal, stderr, 'dim', plain(text))}\n`)
}

export function reportError({ error }: RunAnswer, terminal: Terminal): number {
  if (!error) return 0
  const { stderr } = terminal
  const { message, traceback } = error
  const text = plain(`${message}${traceback ? `\n${traceback}` : ''}`)
  stderr.write(`${paint(terminal, stderr, 'red', 'moonbucket:')} ${text}\n`)
  return FAILED_EXIT_CODE
}

const STATUS_COLOURS: Readonly<Record<RunState['status'], Colour>> = {
  queued: 'dim',
  running: 'blue',
  succeeded: 'green',
  failed: 'red',
  cancelled: 'yellow',
  lost: 'red',
}

export const listRuns: RemoteAction = async (input, terminal, signal) => {
  const { status, limit, json } = input.values
  const known = Object.keys(STATUS_COLOURS)
  if (status !== undefined && !known.includes(String(status))) {
    throw new UsageError(`--status must be one of ${known.join(', ')}`)
  }
  if (limit !== undefined && !/^[1-9]\d*$/.test(String(limit))) {
    throw new UsageError('--limit must be a whole number above 0')
  }
  const { runs } = await clientOf(input, terminal).runs.list(
    { status: status as RunState['status'] | undefined, limit: limit ? Number(limit) : undefined },
    { signal },
  )
  if (json) printJson(terminal, runs)
  else {
    for (const run of runs) {
      const label = paint(
        terminal,
        terminal.stdout,
        STATUS_COLOURS[run.status],
        run.status.padEnd(9),
      )
      const lines = run.log_lines === 1 ? '1 line' : `${run.log_lines} lines`
      terminal.stdout.write(`${run.id}  ${label}  ${run.created_at}  ${lines}\n`)
    }
  }
  return 0
}

export const logs: RemoteAction = async (input, terminal, signal) => {
  const { values } = input
  const client = clientOf(input, terminal)
  const run = client.follow(input.words[0]!)
  if (values.follow) return report(run.events({ signal }), terminal, values.json === true)
  const { log_lines: count } = await client.runs.get({ id: run.id }, { signal })
  const lines: string[] = []
  for await (const event of count > 0 ? run.events({ signal }) : []) {
    if (event.type === 'log') {
      lines.push(event.line)
      if (!values.json) terminal.stdout.write(`${plain(event.line)}\n`)
    }
    if (lines.length >= count) break
  }
  if (values.json) printJson(terminal, lines)
  return 0
}

export const cancel: RemoteAction = async (input, terminal, signal) => {
  const run = await clientOf(input, terminal).runs.cancel({ id: input.words[0]! }, { signal })
  if (input.values.json) printJson(terminal, run)
  else terminal.stdout.write(`${run.id}: ${run.status}\n`)
  return 0
}
