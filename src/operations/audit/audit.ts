/** Logs who did what to which path: derived from operations, and from what runs and links did. */
import { AppError } from '../../errors.ts'
import { parseFolder } from '../../files/path.ts'
import type { AreaOwner } from '../../files/store/area.ts'
import { sha256Hex } from '../../lib/crypto.ts'
import { UnclearWrite } from '../caller-files.ts'
import type { AuditedPath, ChangeEvent, LinkEvent } from '../log-event.ts'
import type { Operation } from '../operation.ts'
import type { FileRow } from '../run/run-answer.ts'
import type { RequestContext, Service } from '../service.ts'

type AuditService = Pick<Service, 'config' | 'log'>

/** What events say about where they come from. */
interface Actor {
  readonly request_id: string
  readonly tenant: string
  readonly user: string | null
}

type Audited = Pick<Operation, 'name' | 'scopes' | 'hints' | 'audit'>

/** Fields of inputs and outputs that matter here. */
interface Row {
  readonly path?: string | undefined
  /** In place of `path`, of what is copied or moved. */
  readonly to?: string | undefined
  /** Where it was copied or moved from. */
  readonly from?: string | undefined
  readonly bytes?: number | undefined
  readonly expires_at?: string | undefined
  /** Of several files. */
  readonly files?: readonly Row[]
  /** Nothing was changed if this is `false`. */
  readonly created?: boolean
  /** Nothing was changed if this is 0. */
  readonly deleted?: number
}

/** Runs an operation, and logs the changes or links that it made. */
export async function audited<Output>(
  ctx: RequestContext,
  operation: Audited,
  input: unknown,
  run: () => Promise<Output>,
): Promise<Output> {
  const event = eventOf(operation)
  if (event === undefined) return run()
  if (event === 'key') return auditedKey(ctx, operation.name, run)
  const { service } = ctx
  const about = { event, ...actorOf(ctx), op: operation.name }
  const { path, to = path, from } = input as Row
  const sent = { path: asNamed(service, to), from: asNamed(service, from) }
  try {
    const output = await run()
    for (const row of changedRows(output as Row)) {
      await logRow(service, about, { ...row, ...sent, path: row.path ?? sent.path })
    }
    return output
  } catch (error) {
    const isUnclear = error instanceof UnclearWrite || !(error instanceof AppError)
    if (event === 'change' && isUnclear) {
      await logRow(service, { ...about, outcome: 'unclear' }, sent)
    }
    throw error
  }
}

/** Fields of responses about an API key. */
interface KeyRow {
  readonly id: string
  readonly user?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly expires_at?: string | undefined
}

async function auditedKey<Output>(
  ctx: RequestContext,
  op: string,
  run: () => Promise<Output>,
): Promise<Output> {
  const output = await run()
  const { id, user, scopes, expires_at } = output as KeyRow
  ctx.service.log({
    event: 'key',
    ...actorOf(ctx),
    op,
    key_id: id,
    ...(user !== undefined && { key_user: user }),
    ...(scopes && { scopes }),
    ...(expires_at !== undefined && { expires_at }),
  })
  return output
}

/** Whatever may write and is not said to do something else changes files. */
function eventOf({ audit, scopes, hints }: Audited): 'change' | 'link' | 'key' | undefined {
  return audit ?? (scopes.includes('files:write') && !hints.readOnly ? 'change' : undefined)
}

function changedRows(output: Row): readonly Row[] {
  if (output.created === false || output.deleted === 0) return []
  return output.files ?? [output]
}

/** Before the event of the run. */
export async function auditRun(ctx: RequestContext, rows: readonly FileRow[]): Promise<void> {
  const about = { event: 'change', ...actorOf(ctx) } as const
  for (const { name, op, bytes, stored } of rows) {
    const outcome = stored === false && ({ outcome: 'not_stored' } as const)
    await logRow(ctx.service, { ...about, op, ...outcome }, { path: name, bytes })
  }
}

/** What the holder of a link did: the owner of the link answers for it. */
export async function auditLink(
  service: AuditService,
  requestId: string,
  { tenant, kind, user }: AreaOwner,
  op: 'get' | 'list' | 'upload',
  row: Pick<ChangeEvent, 'outcome'> & { readonly path: string; readonly bytes?: number },
): Promise<void> {
  const names = { user, companion: 'companion', default: null }
  const actor = { request_id: requestId, tenant, user: names[kind] }
  const { outcome } = row
  const change = { event: 'change', ...actor, op, ...(outcome && { outcome }) } as const
  if (op === 'upload') return logRow(service, change, row)
  service.log({ event: 'opened', ...actor, op, ...(await auditedPath(service, row.path)) })
}

type RowEvent =
  | Omit<ChangeEvent, keyof AuditedPath | 'from' | 'from_sha256' | 'bytes'>
  | Omit<LinkEvent, keyof AuditedPath>

async function logRow(
  service: AuditService,
  about: RowEvent,
  { path, from, bytes, expires_at }: Row,
): Promise<void> {
  const source = await auditedPath(service, from)
  service.log({
    ...about,
    ...(await auditedPath(service, path)),
    ...(source.path !== undefined && { from: source.path }),
    ...(source.path_sha256 !== undefined && { from_sha256: source.path_sha256 }),
    ...(bytes !== undefined && { bytes }),
    ...(expires_at !== undefined && about.event === 'link' && { expires_at }),
  } as ChangeEvent | LinkEvent)
}

/** The root is `.`, as in responses. */
export async function auditedPath(
  { config }: Pick<Service, 'config'>,
  path: string | undefined,
): Promise<AuditedPath> {
  if (path === undefined) return {}
  const named = path === '' ? '.' : path
  if (config.showsAuditPaths) return { path: named }
  return { path_sha256: await sha256Hex(new TextEncoder().encode(named)) }
}

function actorOf({ caller: { tenant, user }, requestId }: RequestContext): Actor {
  return { request_id: requestId, tenant, user }
}

/** As a response would name it. */
function asNamed({ config }: Service, path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : parseFolder(path, { sharedDir: config.sharedDir })
  } catch {
    return undefined
  }
}
