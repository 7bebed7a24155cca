/** A thread that runs scripts for the server, one at a time, and tells it everything that happens. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import { executeHere } from '../operations/execute-script.ts'
import { faultEvent, type LogEvent } from '../operations/log-event.ts'
import { nodeService } from './node-service.ts'
import { rememberUrls } from './node-urls.ts'
import type {
  FromRunner,
  RunEnd,
  RunnerData,
  RunRequest,
  ToRunner,
} from './script-pool-messages.ts'

const port = parentPort!
const { config, lua } = workerData as RunnerData
const service = nodeService(config, lua, (event) => send({ type: 'event', event }))

/** A little after the thread that answers requests, when there are more threads than cores. */
const NICENESS = 5

/** A message for every line would cost more than the line: what is printed in one turn goes as one. */
const MAX_WAITING_LINES = 1_000

let lines: string[] = []
let caller: AbortController | undefined

port.on('message', (message: ToRunner) => {
  if (message.type === 'leave') caller?.abort()
  else void run(message.request)
})

yieldToServer()

// As in other runtimes: what nobody waited for any more is no reason to lose the run.
process.on('unhandledRejection', (error) => service.log(faultEvent('none', 'thread', error)))

/** On Linux a priority is that of a thread; elsewhere the whole process would give way to others. */
function yieldToServer(): void {
  if (process.platform === 'linux') setPriority(NICENESS)
}

async function run(request: RunRequest): Promise<void> {
  caller = new AbortController()
  send(await endOf(request, caller.signal))
}

async function endOf(request: RunRequest, signal: AbortSignal): Promise<RunEnd> {
  const { input, askedAt, ...who } = request
  const waitedMs = Math.max(0, Date.now() - askedAt)
  const log = (event: LogEvent) =>
    service.log(event.event === 'run' ? { ...event, ms: event.ms + waitedMs } : event)
  const ctx = {
    ...who,
    signal,
    service: { ...service, log, storage: rememberUrls(service.storage) },
  }
  try {
    const { answer, stats } = await executeHere(ctx, input, {
      onAdmitted: () => send({ type: 'admitted' }),
      onLog: tellLine,
      onFile: (row) => send({ type: 'file', row }),
    })
    const areLogsTold = input.inlineLogBytes === undefined
    const timing = { ...stats.timing, admit: stats.timing.admit + waitedMs }
    const executed = {
      answer: { ...answer, ...(areLogsTold && { logs: [] }) },
      stats: { ...stats, timing },
    }
    return { type: 'done', executed, areLogsTold }
  } catch (error) {
    const { requestId } = request
    return error instanceof AppError
      ? { type: 'refused', code: error.code, message: error.message }
      : { type: 'failed', fault: faultEvent(requestId, 'thread', error).error }
  }
}

function tellLine(line: string): void {
  if (lines.length === 0) queueMicrotask(tellLines)
  lines.push(line)
  if (lines.length >= MAX_WAITING_LINES) tellLines()
}

function tellLines(): void {
  if (lines.length === 0) return
  port.postMessage({ type: 'logs', lines } satisfies FromRunner)
  lines = []
}

/** After the lines that came before it. */
function send(message: FromRunner): void {
  tellLines()
  port.postMessage(message)
}
