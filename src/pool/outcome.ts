/** Relays a run's events, and turns the end of the run or of its thread into the result. */
import { AppError } from '../errors.ts'
import { faultEvent } from '../operations/log-event.ts'
import { logRun, type Executed, type ExecuteProgress } from '../operations/run/execute-script.ts'
import type { ExecuteAnswer, FileRow } from '../operations/run/run-answer.ts'
import type { RequestContext } from '../operations/service.ts'
import { compareUtf8 } from '../storage/key-order.ts'
import type { ScriptError } from '../vm/script-error.ts'
import type { ProgressMessage, RunEnd } from './messages.ts'
import type { ThreadEnd } from './thread.ts'

/** Keeps what it relays, in case the thread is lost. */
export class EventRelay {
  readonly lines: string[] = []
  readonly #progress: ExecuteProgress
  readonly #rows = new Map<string, FileRow>()
  #isAdmitted = false

  constructor(progress: ExecuteProgress = {}) {
    this.#progress = progress
  }

  relay(event: ProgressMessage): void {
    switch (event.type) {
      case 'admitted':
        return this.#admit()
      case 'logs':
        for (const line of event.lines) {
          this.lines.push(line)
          this.#progress.onLog?.(line)
        }
        return
      case 'file':
        this.#rows.set(event.row.name, event.row)
        this.#progress.onFile?.(event.row)
    }
  }

  /** The partial answer of a lost run: its log and stored files. */
  answerWith(error: ScriptError): ExecuteAnswer {
    this.#admit()
    const files_touched = [...this.#rows.values()].sort((a, b) => compareUtf8(a.name, b.name))
    return { resultJson: 'null', logs: this.lines, files_touched, error }
  }

  #admit(): void {
    if (this.#isAdmitted) return
    this.#isAdmitted = true
    this.#progress.onAdmitted?.()
  }
}

interface WatchedRun {
  readonly ctx: RequestContext
  readonly script: string
  readonly relay: EventRelay
  readonly waitedMs: number
  readonly ranMs: number
}

/** @throws {AppError} as the thread refused; other errors are internal. */
export async function outcomeOf(end: RunEnd | ThreadEnd, run: WatchedRun): Promise<Executed> {
  switch (end.type) {
    case 'done': {
      const { answer, stats } = end.executed
      return { answer: end.areLogsRelayed ? { ...answer, logs: run.relay.lines } : answer, stats }
    }
    case 'refused':
      throw new AppError(end.code, end.message)
    case 'failed':
      throw Object.assign(new Error('a run failed in its thread'), { stack: end.fault })
    case 'died':
      throw new Error('a thread died with its run', { cause: end.error })
    case 'out of memory':
      return lost(run, { kind: 'memory', message: 'not enough memory' })
    case 'stuck':
      return lost(run, { kind: 'timeout', message: 'the script had to be stopped by force' })
  }
}

/** The lost thread could not log its run, and its loss is a fault as well. */
async function lost(
  { ctx, script, relay, waitedMs, ranMs }: WatchedRun,
  error: ScriptError,
): Promise<Executed> {
  const fault = new Error(`a thread was lost: ${error.message}`)
  ctx.service.log(faultEvent(ctx.requestId, 'thread', fault))
  const timing = { admit: waitedMs, vm: 0, run: ranMs, storage: 0 }
  // Its fuel and memory are unknown.
  const stats = { fuelUsed: 0, memoryBytes: 0, timing }
  const executed = { answer: relay.answerWith(error), stats }
  await logRun(ctx, new TextEncoder().encode(script), executed)
  return executed
}
