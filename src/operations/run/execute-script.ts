/** Runs one script with a caller's files, and reports its outcome. */
import { AppError } from '../../errors.ts'
import { openArea, type Area } from '../../files/store/area.ts'
import type { TouchedFile } from '../../files/run/files-touched.ts'
import { VirtualFiles } from '../../files/run/virtual-files.ts'
import { STORING_GRACE_MS, type RunLimits } from '../../limits.ts'
import { Deadline } from '../../vm/limits/deadline.ts'
import { runScript } from '../../vm/run-script.ts'
import { areaOwner } from '../area-owner.ts'
import { linkMaker } from '../links/file-links.ts'
import { LAST_LOOK_MS } from '../../files/store/tracked-write.ts'
import { toHex } from '../../lib/encode.ts'
import type { CallerCredential } from '../../sdk/secrets/credentials.ts'
import { runApis } from '../../sdk/call/run-apis.ts'
import type { FileAccess } from '../../vm/library/library-host.ts'
import type { ScriptApis } from '../../vm/library/script-apis.ts'
import { FileProgress } from './file-progress.ts'
import { keepLogs } from './keep-logs.ts'
import { keepResult } from './keep-result.ts'
import { faultEvent } from '../log-event.ts'
import type { MemoryLease } from '../memory/memory-lease.ts'
import type { ExecuteAnswer, FileRow } from './run-answer.ts'
import { areaLayout, pathRules, type RequestContext } from '../service.ts'
import { stopwatch } from './stopwatch.ts'
import { storageError } from '../storage-error.ts'

/** Generous limit for what follows a run: links, and events that the client does not read. */
const CLOSING_MS = 20_000

export interface ExecuteInput {
  readonly script: string
  /** JSON text. */
  readonly argsJson?: string | undefined
  /** Can only lower the service's own limits. */
  readonly limits?: Partial<RunLimits> | undefined
  readonly commit: 'on_close' | 'on_success'
  readonly linkTtlS?: number | undefined
  /** The caller's own credentials, keyed by API. */
  readonly callerAuth?: ReadonlyMap<string, CallerCredential> | undefined
  /** Longer logs go to a file; absent keeps them inline. */
  readonly inlineLogBytes?: number | undefined
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
export type ExecuteScript = (
  ctx: RequestContext,
  input: ExecuteInput,
  progress?: ExecuteProgress,
) => Promise<Executed>

/** Runs the script wherever this service does, and reports to `ctx.progress`. */
export async function executeScript(
  ctx: RequestContext,
  input: ExecuteInput,
): Promise<ExecuteAnswer> {
  const execute = ctx.service.executeElsewhere ?? executeHere
  const { answer, stats } = await execute(ctx, input, ctx.progress)
  ctx.progress?.onEnd?.(stats)
  return answer
}

/** On the calling thread. */
export const executeHere: ExecuteScript = async (ctx, input, progress = {}) => {
  const { admission, config } = ctx.service
  const script = new TextEncoder().encode(input.script)
  if (script.length > config.limits.scriptBytes) {
    const message = `The script is larger than ${config.limits.scriptBytes} bytes.`
    throw new AppError('too_large', message)
  }
  // The body has been read; what remains of it counts as part of the run.
  ctx.memory?.releaseBody()
  const watch = stopwatch()
  const limits = lowered(config.limits, input.limits)
  const asked = {
    maxBytes: limits.memoryBytes + limits.residentBytes,
    maxMs: limits.runMs + STORING_GRACE_MS + CLOSING_MS,
    signal: ctx.signal,
  }
  return admission.admit(asked, async (lease) => {
    const admit = watch.lap()
    progress.onAdmitted?.()
    const { answer, fault, fuelUsed, memoryBytes, ...timing } = await runAdmitted(
      ctx,
      input,
      { script, limits, lease },
      progress,
    )
    const stats = { fuelUsed, memoryBytes, timing: { admit, ...timing } }
    const script_sha256 = await sha256(script)
    if (fault !== undefined) {
      ctx.service.log({ ...faultEvent(ctx.requestId, 'vm', fault), script_sha256 })
    }
    logRun(ctx, script_sha256, answer, stats)
    return { answer, stats }
  })
}

interface AdmittedRun {
  readonly script: Uint8Array<ArrayBuffer>
  readonly limits: RunLimits
  readonly lease: MemoryLease
}

async function runAdmitted(
  ctx: RequestContext,
  input: ExecuteInput,
  { script, limits, lease }: AdmittedRun,
  progress: ExecuteProgress,
) {
  const { config, lua, now } = ctx.service
  const area = await openArea(areaOwner(ctx.caller), areaLayout(config))
  const links = linkMaker(ctx, area, input.linkTtlS)
  const deadline = new Deadline(limits.runMs, ctx.signal)
  const storesOnClose = input.commit === 'on_close'
  const access = fileAccess(ctx)
  const telling = new FileProgress(
    (row) => links.rowOf(row, files.ownWriteId(row.name)),
    progress.onFile && ((row) => progress.onFile?.(row)),
    access.canRead,
  )
  const files = openFiles(ctx, { area, limits, ending: deadline, storesOnClose, telling, lease })
  lease.files = files

  const watch = stopwatch()
  let vm = 0
  const outcome = await runScript(lua, {
    script,
    argsJson: input.argsJson,
    files,
    access,
    limits,
    room: lease,
    now,
    ending: deadline,
    linkTo: links.savedAs,
    apis: apisFor(ctx, input, limits, deadline),
    onLog: progress.onLog && ((line) => progress.onLog?.(line)),
    onStart: (made) => {
      lease.startVm(made)
      vm = watch.lap()
    },
  }).finally(() => deadline.stop())
  const running = watch.lap()

  const place = { files, access }
  const { error: unkept, ...result } = keepResult(outcome.result, place, limits.resultBytes)
  lease.endVm()
  const isDiscarded = !storesOnClose && outcome.error !== undefined
  const { inlineLogBytes = Infinity } = input
  const logs = keepLogs(outcome.logs, place, inlineLogBytes, isDiscarded)
  const rows = isDiscarded ? files.discard() : await storeAll(files, limits.runMs - running)
  if (files.release()) lease.files = undefined
  const files_touched = await telling.finish(rows)
  const error = outcome.error ?? unkept ?? storageError(rows)
  return {
    answer: { ...result, ...logs, files_touched, error },
    fault: outcome.fault,
    fuelUsed: outcome.fuelUsed,
    memoryBytes: outcome.memoryBytes,
    vm,
    run: running,
    storage: watch.lap(),
  }
}

function apisFor(
  { service }: RequestContext,
  { callerAuth = new Map() }: ExecuteInput,
  limits: RunLimits,
  ending: Deadline,
): ScriptApis | undefined {
  return service.apis && runApis({ ...service.apis, limits, callerAuth, ending })
}

function lowered(own: RunLimits, asked: Partial<RunLimits> = {}): RunLimits {
  const limits = Object.entries(own) as [keyof RunLimits, number][]
  const lower = limits.map(([name, value]) => [name, Math.min(value, asked[name] ?? value)])
  return Object.fromEntries(lower) as unknown as RunLimits
}

function fileAccess({ caller, service: { config } }: RequestContext): FileAccess {
  return {
    canRead: config.isIoEnabled && caller.scopes.has('files:read'),
    canWrite: config.isIoEnabled && caller.scopes.has('files:write'),
    paths: pathRules(config, caller),
  }
}

interface RunFiles {
  readonly area: Area
  readonly limits: RunLimits
  readonly ending: Deadline
  readonly storesOnClose: boolean
  readonly telling: FileProgress
  readonly lease: MemoryLease
}

function openFiles(ctx: RequestContext, run: RunFiles): VirtualFiles {
  const { limits, area, telling, lease } = run
  const { log, storage } = ctx.service
  let isOutageLogged = false
  return new VirtualFiles({
    storage,
    keyFor: area.keyFor,
    sharedDir: area.sharedDir,
    room: lease,
    limits: {
      maxOpenHandles: limits.openHandles,
      maxResidentBytes: limits.residentBytes,
      maxFilesTouched: limits.filesTouched,
    },
    ending: run.ending,
    storesOnClose: run.storesOnClose,
    onStored: (row) => telling.stored(row),
    // Once per run: during an outage every file fails for the same reason.
    onFailure: (error) => {
      // A run that ended or whose client disconnected aborts its own requests.
      if (isOutageLogged || run.ending.signal.aborted) return
      isOutageLogged = true
      log(faultEvent(ctx.requestId, 'store', error))
    },
  })
}

async function storeAll(files: VirtualFiles, leftMs: number): Promise<TouchedFile[]> {
  const grace = new Deadline(Math.max(0, leftMs) + STORING_GRACE_MS - LAST_LOOK_MS)
  try {
    return await files.finish(grace)
  } finally {
    grace.stop()
  }
}

async function sha256(script: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', script)))
}

function logRun(
  { service, caller, requestId }: RequestContext,
  script_sha256: string,
  { error, files_touched }: ExecuteAnswer,
  { fuelUsed, timing }: ExecuteStats,
): void {
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
  })
}
