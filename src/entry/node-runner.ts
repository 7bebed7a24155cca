/** A thread that runs scripts for the server, one at a time, and tells it everything that happens. */
import { getPriority, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import { executeHere, type ExecuteProgress } from '../operations/run/execute-script.ts'
import { faultEvent, type LogEvent } from '../operations/log-event.ts'
import { nodeService } from './node/service.ts'
import { rememberUrls } from './node/urls.ts'
import type { FromRunner, RunEnd, RunnerData, RunRequest, ToRunner } from '../pool/messages.ts'

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
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(getPriority() + NICENESS, 19))
  } catch {
    // Some containers forbid it, and everything works without.
  }
}

async function run(request: RunRequest): Promise<void> {
  const own = new AbortController()
  caller = own
  // A store may answer after a run has given up on it: by then somebody else's run is listened to.
  const tell = (message: FromRunner) => caller === own && send(message)
  const end = await endOf(request, own.signal, {
    onAdmitted: () => tell({ type: 'admitted' }),
    onLog: (line) => caller === own && tellLine(line),
    onFile: (row) => tell({ type: 'file', row }),
  })
  caller = undefined
  send(end)
}

async function endOf(
  { input, askedAt, ...who }: RunRequest,
  signal: AbortSignal,
  progress: ExecuteProgress,
): Promise<RunEnd> {
  const waitedMs = Math.max(0, Date.now() - askedAt)
  const log = (event: LogEvent) =>
    service.log(event.event === 'run' ? { ...event, ms: event.ms + waitedMs } : event)
  const storage = rememberUrls(service.storage)
  const ctx = { ...who, signal, service: { ...service, log, storage } }
  try {
    const { answer, stats } = await executeHere(ctx, input, progress)
    const areLogsTold = input.inlineLogBytes === undefined
    const timing = { ...stats.timing, admit: stats.timing.admit + waitedMs }
    const executed = {
      answer: { ...answer, ...(areLogsTold && { logs: [] }) },
      stats: { ...stats, timing },
    }
    return { type: 'done', executed, areLogsTold }
  } catch (error) {
    return error instanceof AppError
      ? { type: 'refused', code: error.code, message: error.message }
      : { type: 'failed', fault: faultEvent(who.requestId, 'thread', error).error }
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
