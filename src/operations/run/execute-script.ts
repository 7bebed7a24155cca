/** Runs one script with a caller's files, and reports its outcome. */
import { AppError } from '../../errors.ts'
import { openArea } from '../../files/store/area.ts'
import { RequestBudget } from '../../files/request-budget.ts'
import { FileError } from '../../files/file-error.ts'
import type { TouchedFile } from '../../files/run/files-touched.ts'
import type { VirtualFilesOptions } from '../../files/run/run-state.ts'
import { VirtualFiles } from '../../files/run/virtual-files.ts'
import {
  backgroundLimits,
  limitsOf,
  STORING_GRACE_MS,
  type LimitChanges,
  type RunLimits,
} from '../../limits.ts'
import { Deadline } from '../../vm/limits/deadline.ts'
import { runScript } from '../../vm/run-script.ts'
import { LimitReached } from '../../vm/script-error.ts'
import { areaLayout, areaOwner, pathRules, type RequestContext } from '../service.ts'
import { LAST_LOOK_MS } from '../../files/store/tracked-write.ts'
import { sha256Hex } from '../../lib/crypto.ts'
import type { CallerCredential } from '../../sdk/secrets/credentials.ts'
import { runApis } from '../../sdk/call/run-apis.ts'
import type { FileAccess } from '../../vm/library/library-host.ts'
import { auditRun } from '../audit/audit.ts'
import { faultEvent } from '../log-event.ts'
import type { MemoryLease } from '../memory/memory-lease.ts'
import { storageError } from './file-progress.ts'
import { keepLogs, keepResult } from './keep-output.ts'
import { plannedEffects } from './plan/planned-effects.ts'
import type { ExecuteAnswer, FileRow } from './run-answer.ts'
import { storedEffects } from './run-effects.ts'
import { stopwatch } from './stopwatch.ts'

/** Generous limit for what follows a run: links, and events that the client does not read. */
const CLOSING_MS = 20_000

export interface ExecuteInput {
  readonly script: string
  /** JSON text. */
  readonly argsJson?: string | undefined
  /** Can only lower the service's own limits. */
  readonly limits?: LimitChanges | undefined
  readonly commit: 'on_close' | 'on_success'
  readonly linkTtlS?: number | undefined
  /** The caller's own credentials, keyed by API. */
  readonly callerAuth?: ReadonlyMap<string, CallerCredential> | undefined
  /** Longer logs go to a file; absent keeps them inline. */
  readonly inlineLogBytes?: number | undefined
  /** Stores nothing and changes nothing at APIs: the answer tells what a run would do. */
  readonly isPlan?: boolean | undefined
  /** Has the limits of background runs. */
  readonly isBackground?: boolean | undefined
  /** A script of the service itself, which reads files even where scripts may not use any. */
  readonly isReading?: boolean | undefined
  /** Names the run's record; its rows then have no links, but the ids of their writes. */
  readonly ref?: string | undefined
}

/** Separate from the answer, because models must not see it. */
export interface ExecuteStats {
  readonly fuelUsed: number
  /** At the end of the run; a VM's memory never shrinks. */
  readonly memoryBytes: number
  /** Milliseconds per phase. */
  readonly timing: Readonly<Record<'admit' | 'vm' | 'run' | 'storage', number>>
}

/** Callbacks during a run. */
export interface ExecuteProgress {
  /** From here on the request succeeds, whatever the script does. */
  onAdmitted?(): void
  onLog?(line: string): void
  /** Called again if the file changes again. */
  onFile?(row: FileRow): void
  onEnd?(stats: ExecuteStats): void
}

export interface Executed {
  readonly answer: ExecuteAnswer
  readonly stats: ExecuteStats
}

/** @throws {AppError} `too_large` or `busy`; a script that fails still resolves. */
export type ExecuteScript = (ctx: RequestContext, input: ExecuteInput) => Promise<Executed>

/** Runs the script wherever this service does, and reports to `ctx.progress`. */
export async function executeScript(
  ctx: RequestContext,
  input: ExecuteInput,
): Promise<ExecuteAnswer> {
  const execute = ctx.service.executeElsewhere ?? executeHere
  const { answer, stats } = await execute(ctx, input)
  ctx.progress?.onEnd?.(stats)
  return answer
}

/** On the calling thread. */
export const executeHere: ExecuteScript = async (ctx, input) => {
  const { admission, config } = ctx.service
  const script = new TextEncoder().encode(input.script)
  if (script.length > config.limits.scriptBytes) {
    const message = `The script is larger than ${config.limits.scriptBytes} bytes.`
    throw new AppError('too_large', message)
  }
  // The body has been read; what remains of it counts as part of the run.
  ctx.memory?.releaseBody()
  const watch = stopwatch()
  const limits = lowered(limitsFor(input, config.limits), input.limits)
  const request = {
    maxBytes: limits.memoryBytes + limits.residentBytes,
    maxMs: limits.runMs + STORING_GRACE_MS + CLOSING_MS,
    signal: ctx.signal,
  }
  return admission.admit(request, async (lease) => {
    const admit = watch.lap()
    ctx.progress?.onAdmitted?.()
    const run = { ...input, script, limits, lease }
    const { answer, fault, fuelUsed, memoryBytes, ...timing } = await runAdmitted(ctx, run)
    const stats = { fuelUsed, memoryBytes, timing: { admit, ...timing } }
    await logRun(ctx, script, { answer, stats }, fault)
    return { answer, stats }
  })
}

interface AdmittedRun extends Omit<ExecuteInput, 'script' | 'limits'> {
  readonly script: Uint8Array<ArrayBuffer>
  readonly limits: RunLimits
  readonly lease: MemoryLease
}

async function runAdmitted(ctx: RequestContext, run: AdmittedRun) {
  const { script, limits, lease, callerAuth = new Map(), inlineLogBytes = Infinity } = run
  const { progress = {}, service } = ctx
  const { config, lua, now } = service
  const area = await openArea(areaOwner(ctx.caller), areaLayout(config))
  const deadline = new Deadline(limits.runMs, ctx.signal)
  const storesOnClose = run.commit === 'on_close'
  const access = fileAccess(ctx, run)
  const requests = new RequestBudget(limits.subrequests)
  const about = { ...run, area, access, deadline, requests, files: () => files }
  const effects = await (run.isPlan ? plannedEffects(ctx, about) : storedEffects(ctx, about))
  const files: VirtualFiles = openFiles(ctx, run, {
    ...area,
    ...effects.files,
    requests,
    ending: deadline,
    storesOnClose,
  })
  lease.files = files

  const hold = (bytes: number) => holdResponse(files, limits, bytes)
  const watch = stopwatch()
  let vm = 0
  const outcome = await runScript(lua, {
    script,
    argsJson: run.argsJson,
    files,
    access,
    limits,
    room: lease,
    now,
    ending: deadline,
    linkTo: effects.linkTo,
    apis:
      service.apis &&
      runApis({
        ...service.apis,
        ...effects.apis,
        limits,
        requests,
        hold,
        callerAuth,
        ending: deadline,
        secrets: config.linkSecrets,
        onRedirect: (hop) => service.log({ event: 'redirect', request_id: ctx.requestId, ...hop }),
      }),
    onLog: progress.onLog && ((line) => progress.onLog?.(line)),
    onStart: (made) => {
      lease.startVm(made)
      vm = watch.lap()
    },
  }).finally(() => deadline.stop())
  const running = watch.lap()

  const place = { files, access }
  const { error: resultError, ...result } = keepResult(outcome.result, place, limits.resultBytes)
  lease.endVm()
  const isDiscarded = !storesOnClose && outcome.error !== undefined
  const logs = keepLogs(outcome.logs, place, inlineLogBytes, isDiscarded || run.isPlan === true)
  const rows = await (isDiscarded ? files.discard() : storeAll(files, limits.runMs - running))
  const report = await effects.report(rows)
  if (files.release()) lease.files = undefined
  const error = outcome.error ?? resultError ?? storageError(rows, files.quotaRefusal)
  return {
    answer: { ...result, ...logs, ...report, error },
    fault: outcome.fault,
    fuelUsed: outcome.fuelUsed,
    memoryBytes: outcome.memoryBytes,
    vm,
    run: running,
    storage: watch.lap(),
  }
}

/** The service's own. */
export function limitsFor({ isBackground }: ExecuteInput, limits: RunLimits): RunLimits {
  return isBackground ? backgroundLimits(limits) : limits
}

function lowered(own: RunLimits, asked: LimitChanges = {}): RunLimits {
  return limitsOf((_, name) => Math.min(own[name], asked[name] ?? Infinity))
}

function fileAccess(
  { caller, service: { config } }: RequestContext,
  { isReading = false }: Pick<ExecuteInput, 'isReading'>,
): FileAccess {
  const has = (scope: 'files:read' | 'files:write') => caller.scopes.has(scope)
  return {
    canRead: (config.isIoEnabled || isReading) && has('files:read'),
    canWrite: config.isIoEnabled && !isReading && has('files:write'),
    paths: pathRules(config, caller),
  }
}

function openFiles(
  { service: { log }, requestId }: RequestContext,
  { limits, lease }: AdmittedRun,
  options: Omit<VirtualFilesOptions, 'limits'> & { readonly ending: Deadline },
): VirtualFiles {
  let isOutageLogged = false
  return new VirtualFiles({
    ...options,
    room: lease,
    limits: {
      maxOpenHandles: limits.openHandles,
      maxResidentBytes: limits.residentBytes,
      maxFilesTouched: limits.filesTouched,
    },
    // Once per run: during an outage every file fails for the same reason.
    onFailure: (error) => {
      // A run that ended or whose client disconnected aborts its own requests.
      if (isOutageLogged || options.ending.signal.aborted) return
      isOutageLogged = true
      log(faultEvent(requestId, 'store', error))
    },
  })
}

async function holdResponse(files: VirtualFiles, { residentBytes }: RunLimits, bytes: number) {
  try {
    await files.holdMemory(bytes)
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== 'EFBIG') throw error
    const message = `API responses and files do not fit into memory (max ${residentBytes} bytes)`
    throw new LimitReached(message)
  }
}

async function storeAll(files: VirtualFiles, leftMs: number): Promise<TouchedFile[]> {
  const grace = new Deadline(Math.max(0, leftMs) + STORING_GRACE_MS - LAST_LOOK_MS)
  try {
    return await files.finish(grace)
  } finally {
    grace.stop()
  }
}

/** @param fault Of the VM, which the script crashed. */
export async function logRun(
  ctx: RequestContext,
  script: Uint8Array<ArrayBuffer>,
  { answer: { error, files_touched, plan }, stats: { fuelUsed, timing } }: Executed,
  fault?: unknown,
): Promise<void> {
  const { service, caller, requestId } = ctx
  const script_sha256 = await sha256Hex(script)
  if (fault !== undefined) {
    service.log({ ...faultEvent(requestId, 'vm', fault), script_sha256 })
  }
  await auditRun(ctx, files_touched)
  const stored = files_touched.filter((row) => row.stored !== false)
  service.log({
    event: 'run',
    request_id: requestId,
    tenant: caller.tenant,
    user: caller.user,
    script_sha256,
    outcome: error?.kind ?? 'ok',
    fuel: fuelUsed,
    ms: Math.round(Object.values(timing).reduce((sum, ms) => sum + ms, 0)),
    bytes: stored.reduce((sum, row) => sum + row.bytes, 0),
    files: files_touched.length,
    ...(plan && { plan: true as const }),
  })
}
