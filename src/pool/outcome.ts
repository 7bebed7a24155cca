/** Turns a run's or a thread's end into the run's result. */
import { createHash } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { Executed } from '../operations/run/execute-script.ts'
import { faultEvent } from '../operations/log-event.ts'
import type { RequestContext } from '../operations/service.ts'
import type { ScriptError } from '../vm/script-error.ts'
import type { RunEnd } from './messages.ts'
import type { ThreadEnd } from './thread.ts'
import type { EventRelay } from './event-relay.ts'

export interface WatchedRun {
  readonly ctx: RequestContext
  readonly script: string
  readonly relay: EventRelay
  readonly waitedMs: number
  readonly ranMs: number
}

/** @throws {AppError} as the thread refused; other errors are internal. */
export function outcomeOf(end: RunEnd | ThreadEnd, run: WatchedRun): Executed {
  switch (end.type) {
    case 'done':
      return end.areLogsRelayed ? withLogs(end.executed, run.relay) : end.executed
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

function withLogs({ answer, stats }: Executed, { lines }: EventRelay): Executed {
  return { answer: { ...answer, logs: lines }, stats }
}

/** The lost thread could not log its run, and its loss is a fault as well. */
function lost({ ctx, script, relay, waitedMs, ranMs }: WatchedRun, error: ScriptError): Executed {
  const answer = relay.answerWith(error)
  const { log } = ctx.service
  log(faultEvent(ctx.requestId, 'thread', new Error(`a thread was lost: ${error.message}`)))
  log({
    event: 'run',
    request_id: ctx.requestId,
    tenant: ctx.caller.tenant,
    user: ctx.caller.user,
    script_sha256: createHash('sha256').update(script).digest('hex'),
    outcome: error.kind,
    fuel: 0,
    ms: Math.round(waitedMs + ranMs),
    bytes: answer.files_touched.reduce((sum, row) => sum + row.bytes, 0),
    files: answer.files_touched.length,
  })
  // Fuel and memory of a lost thread are unknown.
  return {
    answer,
    stats: {
      fuelUsed: 0,
      memoryBytes: 0,
      timing: { admit: waitedMs, vm: 0, run: ranMs, storage: 0 },
    },
  }
}
