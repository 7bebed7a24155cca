/** A pool thread: runs one script at a time and reports its events. */
import { getPriority, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import { executeHere, type ExecuteProgress } from '../operations/run/execute-script.ts'
import { faultEvent, type LogEvent } from '../operations/log-event.ts'
import type { PresignedUrl, StorageDriver } from '../storage/driver.ts'
import type { FromRunner, RunEnd, RunnerData, RunRequest, ToRunner } from '../pool/messages.ts'
import type { RequestContext } from '../operations/service.ts'
import { timedStorage, type StoreSample } from '../storage/timed.ts'
import { nodeService } from './node/service.ts'

const port = parentPort!
const { config, lua } = workerData as RunnerData
const plain = nodeService(config, lua, (event) => send({ type: 'event', event }))
/** Sent with the end of each run, if the server counts them. */
let samples: StoreSample[] = []
const service =
  config.metricsKey === undefined
    ? plain
    : { ...plain, storage: timedStorage(plain.storage, (sample) => void samples.push(sample)) }

/** Below the server thread when there are more threads than cores. */
const NICENESS = 5

/** Batches log lines: a message per line would cost more than the line. */
const MAX_QUEUED_LINES = 1_000

let lines: string[] = []
let caller: AbortController | undefined

port.on('message', (message: ToRunner) => {
  if (message.type === 'leave') caller?.abort()
  else void run(message.request)
})

lowerPriority()

// A stray rejection must not end the run.
process.on('unhandledRejection', (error) => service.log(faultEvent('none', 'thread', error)))

/** Per thread on Linux only; elsewhere it would slow the whole process. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(getPriority() + NICENESS, 19))
  } catch {
    // Some containers forbid it; it is optional.
  }
}

async function run(request: RunRequest): Promise<void> {
  const own = new AbortController()
  caller = own
  // A late store response must not reach the next run's listener.
  const report = (message: FromRunner) => caller === own && send(message)
  const progress: ExecuteProgress = {
    onAdmitted: () => report({ type: 'admitted' }),
    onLog: (line) => caller === own && queueLine(line),
    onFile: (row) => report({ type: 'file', row }),
  }
  const end = await endOf(request, { signal: own.signal, progress })
  caller = undefined
  if (samples.length > 0) send({ type: 'store', samples })
  samples = []
  send(end)
}

async function endOf(
  { input, askedAt, ...who }: RunRequest,
  watch: Pick<RequestContext, 'signal' | 'progress'>,
): Promise<RunEnd> {
  const waitedMs = Math.max(0, Date.now() - askedAt)
  const log = (event: LogEvent) =>
    service.log(event.event === 'run' ? { ...event, ms: event.ms + waitedMs } : event)
  const storage = cachePresignedUrls(service.storage)
  const ctx = { ...who, ...watch, service: { ...service, log, storage } }
  try {
    const { answer, stats } = await executeHere(ctx, input)
    const areLogsRelayed = input.inlineLogBytes === undefined
    const timing = { ...stats.timing, admit: stats.timing.admit + waitedMs }
    const executed = {
      answer: { ...answer, ...(areLogsRelayed && { logs: [] }) },
      stats: { ...stats, timing },
    }
    return { type: 'done', executed, areLogsRelayed }
  } catch (error) {
    return error instanceof AppError
      ? { type: 'refused', code: error.code, message: error.message }
      : { type: 'failed', fault: faultEvent(who.requestId, 'thread', error).error }
  }
}

/** Per run: a file is reported when stored and again in the answer. */
function cachePresignedUrls(storage: StorageDriver): StorageDriver {
  const { presignGet } = storage
  if (!presignGet) return storage
  const urls = new Map<string, Promise<PresignedUrl>>()
  return {
    ...storage,
    presignGet(key, options) {
      const name = JSON.stringify([key, options])
      const url = urls.get(name) ?? presignGet(key, options)
      urls.set(name, url)
      return url
    },
  }
}

function queueLine(line: string): void {
  if (lines.length === 0) queueMicrotask(flushLines)
  lines.push(line)
  if (lines.length >= MAX_QUEUED_LINES) flushLines()
}

function flushLines(): void {
  if (lines.length === 0) return
  port.postMessage({ type: 'logs', lines } satisfies FromRunner)
  lines = []
}

/** Flushes log lines first. */
function send(message: FromRunner): void {
  flushLines()
  port.postMessage(message)
}
