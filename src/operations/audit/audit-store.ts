/** With `AUDIT=store`, keeps audit events as JSON lines beside the areas of their tenant. */
import { AreaStore } from '../../files/store/area-store.ts'
import { keySegment, openAudit } from '../../files/store/area.ts'
import { parsePath, type VirtualPath } from '../../files/path.ts'
import { newWriteId } from '../../files/store/marks.ts'
import { faultEvent, type AuditEvent, type LogEvent } from '../log-event.ts'
import { areaLayout, type Service } from '../service.ts'

/** By its name, or as in keys. */
type AuditedTenant = { readonly name: string } | { readonly key: string }

/** Events of one tenant that become one object. */
interface Batch {
  readonly tenant: AuditedTenant
  readonly path: VirtualPath
  readonly body: Uint8Array
  /** Of all attempts to put it: one that was not answered may have succeeded. */
  readonly ids: Set<string>
  /** When it was taken out of the buffer. */
  since: number
}

const AUDITED = new Set<LogEvent['event']>([
  'run',
  'change',
  'expired',
  'link',
  'key',
  'opened',
  'sign_in',
  'denied',
])

/** Kept while the store does not take them; further ones are in the log only. */
const MAX_WAITING_BYTES = 2 * 1024 * 1024
const MAX_BATCH_BYTES = 256 * 1024
/** At once: further events wait for these, and go together. */
const MAX_PUTS = 4
/** Later, the platform has ended the request that sent it. */
const MAX_PUT_MS = 30_000

/** Adds the store to where events are logged; returns the service unchanged if not wanted. */
export function withAuditStore(service: Service): Service {
  if (!service.config.storesAudit) return service
  const store = new AuditStore(service)
  const log = (event: LogEvent) => {
    service.log(event)
    if (isAudited(event)) store.add(event)
  }
  return { ...service, log, storeAudit: () => store.flush() }
}

function tenantOf(event: AuditEvent): string | undefined {
  if (event.event === 'expired') return JSON.stringify({ key: event.tenant_key })
  return event.tenant === undefined ? undefined : JSON.stringify({ name: event.tenant })
}

function isAudited(event: LogEvent): event is AuditEvent {
  return AUDITED.has(event.event)
}

/**
 * No request waits for the put of another, which Workers forbid: each {@link flush} puts what is
 * there. What the store does not take waits for the next call.
 */
class AuditStore {
  readonly #service: Service
  /** By tenant as JSON. */
  readonly #lines = new Map<string, string[]>()
  #failed: Batch[] = []
  readonly #sent = new Set<Batch>()
  #waitingBytes = 0
  #dropped = 0

  constructor(service: Service) {
    this.#service = service
  }

  /** Events without a tenant are in the log only: nobody's store is theirs. */
  add(event: AuditEvent): void {
    const tenant = tenantOf(event)
    if (tenant === undefined) return
    const line = JSON.stringify({ at: this.#service.now().toISOString(), ...event })
    if (this.#waitingBytes + line.length > MAX_WAITING_BYTES) {
      this.#dropped++
      return
    }
    this.#waitingBytes += line.length
    const lines = this.#lines.get(tenant) ?? []
    lines.push(line)
    this.#lines.set(tenant, lines)
  }

  /** Never rejects. */
  async flush(): Promise<void> {
    this.#returnAbandoned()
    while (this.#sent.size < MAX_PUTS) {
      const batch = this.#failed.shift() ?? this.#takeBatch()
      if (!batch) break
      if (!(await this.#put(batch))) return
    }
    this.#reportDropped()
  }

  async #put(batch: Batch): Promise<boolean> {
    batch.since = Date.now()
    this.#sent.add(batch)
    const { tenant, path, body, ids } = batch
    const { storage, config, log } = this.#service
    try {
      const segment = 'key' in tenant ? tenant.key : await keySegment(tenant.name)
      const area = openAudit(segment, areaLayout(config))
      const signal = AbortSignal.timeout(MAX_PUT_MS)
      const store = new AreaStore({ storage, area, ending: { signal } })
      await store.put(path, body, { ifNoneMatch: '*', ids })
      // Counted once, even if it was abandoned and sent again.
      if (this.#sent.delete(batch)) this.#waitingBytes -= body.length
      return true
    } catch (error) {
      if (this.#sent.delete(batch)) this.#failed.push(batch)
      log(faultEvent('none', 'audit', error))
      return false
    }
  }

  /** The request that sent it is gone; the same name and ids store it once. */
  #returnAbandoned(): void {
    for (const batch of this.#sent) {
      if (Date.now() - batch.since < 2 * MAX_PUT_MS) continue
      this.#sent.delete(batch)
      this.#failed.push(batch)
    }
  }

  #takeBatch(): Batch | undefined {
    const [first] = this.#lines
    if (!first) return undefined
    const [tenant, lines] = first
    let bytes = 0
    let count = 0
    while (count < lines.length && bytes < MAX_BATCH_BYTES) bytes += lines[count++]!.length
    const taken = lines.splice(0, count)
    this.#lines.delete(tenant)
    // Behind those of other tenants.
    if (lines.length > 0) this.#lines.set(tenant, lines)
    const body = new TextEncoder().encode(`${taken.join('\n')}\n`)
    this.#waitingBytes += body.length - taken.reduce((sum, line) => sum + line.length, 0)
    const whose = JSON.parse(tenant) as AuditedTenant
    return { tenant: whose, path: this.#newPath(), body, ids: new Set(), since: 0 }
  }

  /** A folder for each day; names in order of time. */
  #newPath(): VirtualPath {
    const time = this.#service.now().toISOString()
    const name = time.slice(11).replaceAll(/[:.]/g, '-')
    return parsePath(`${time.slice(0, 10)}/${name}-${newWriteId()}.jsonl`)
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return
    const message = `${this.#dropped} audit events are in the log only: the store did not take them`
    this.#dropped = 0
    this.#service.log(faultEvent('none', 'audit', new Error(message)))
  }
}
