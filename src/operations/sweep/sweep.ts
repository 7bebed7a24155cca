/** Deletes what is left behind: old runs, marks, sign-ins, tombstones, expired files and keys. */
import { isLeftBehind, TOMBSTONE_BYTES } from '../../files/store/marks.ts'
import { openSweep } from '../../files/store/area.ts'
import { parsePath } from '../../files/path.ts'
import { withTombstones } from '../../files/store/with-tombstones.ts'
import { inParallel } from '../../lib/parallel.ts'
import type { ListedObject, StorageDriver } from '../../storage/driver.ts'
import { isOver as isKeyOver } from '../keys/key-record.ts'
import { TenantKeys } from '../keys/key-store.ts'
import { areMarksOver } from '../links/revoked-links.ts'
import { isForgotten } from '../links/used-links.ts'
import { isSignInOver } from '../sign-in/sign-in-store.ts'
import { faultEvent } from '../log-event.ts'
import { areaLayout, type Service } from '../service.ts'
import { EXPIRY_REQUESTS, expireFile, expiryRules } from './expire-file.ts'
import { KEY_LIFE_MS } from '../runs/idempotency.ts'
import { isOver } from '../runs/record/run-record.ts'
import { timeOfRun } from '../runs/record/run-id.ts'
import { RunStore, storeOf } from '../runs/record/run-store.ts'
import { settleRun } from '../runs/settle-run.ts'

const DAY_MS = 24 * 3600 * 1000
/** What was begun this long ago has ended, whatever the clocks say. */
const HOUR_MS = 3600 * 1000
/** Requests at once, and objects looked at together. */
const MAX_REQUESTS = 6
const PAGE = 100
/** Of a listing, by one request. */
const LISTED = 1_000
/** The next sweep goes on where this one stopped. */
const MAX_CHANGES = 50_000

const TENANT = String.raw`(?<tenant>[\w-]{1,64})`
const OWNER = String.raw`(?<owner>users/[\w-]{1,64}|companion|default)`
const ID = String.raw`(?<id>[0-9a-f]{24})`
const RUN = new RegExp(
  `^${TENANT}/runs/${OWNER}/(?:answers|inputs|log|records|storing)/${ID}(?:/|$)`,
)
const KEY = new RegExp(`^${TENANT}/runs/${OWNER}/keys/[0-9a-f]{64}$`)
const ACTIVE = new RegExp(`^${TENANT}/runs/active/${OWNER}/${ID}$`)
const DAILY_USAGE = new RegExp(`^${TENANT}/usage/(?:runs|api-bytes)/(?<day>[\\d-]{10})/`)
const REVOKED = new RegExp(`^${TENANT}/revoked-links/(?:share$|${OWNER}$)`)
const API_KEY = new RegExp(`^\\.keys/tenants/${TENANT}/(?<id>[0-9a-f]{32})$`)
const USED_LINK = new RegExp(`^${TENANT}/used-links/(?<name>[^/]+)(?:/|$)`)

/**
 * Scheduled by the entry; also notices runs that nobody asks about. Never rejects.
 *
 * @param signal Stops it; the next one goes on from there.
 */
export async function sweep(service: Service, signal?: AbortSignal): Promise<void> {
  try {
    const { listed, deleted } = await sweepFrom(service, signal)
    if (deleted > 0) service.log({ event: 'sweep', request_id: 'none', listed, deleted })
    await service.storeAudit?.()
  } catch (error) {
    service.log(faultEvent('none', 'sweep', error))
  }
}

async function sweepFrom(service: Service, signal: AbortSignal | undefined) {
  const { config, storage } = service
  const position = sweepPosition(service)
  const startAfter = await position.load()
  const most = Math.min(config.limits.subrequests / 2, MAX_CHANGES)
  const rules = expiryRules(config)
  const done = { listed: 0, deleted: 0 }
  let requests = 0
  let page: ListedObject[] = []
  const sweepPage = async () => {
    const room = { jobs: MAX_REQUESTS, bytes: 0 }
    await inParallel(
      page,
      room,
      () => 0,
      async (object) => {
        const swept = await sweepObject(service, object)
        const isExpired = swept === 0 && (await expire(service, rules, object))
        // Not in one expression with the awaits: others add meanwhile.
        done.deleted += isExpired ? 1 : swept
        requests += isExpired ? EXPIRY_REQUESTS : swept
      },
    )
    done.listed += page.length
    page = []
  }
  for await (const entry of storage.list(config.keyPrefix, { startAfter, signal })) {
    if (entry.kind !== 'object') continue
    page.push(entry.object)
    if (page.length < PAGE) continue
    await sweepPage()
    if (requests + done.listed / LISTED < most && !signal?.aborted) continue
    await position.save(entry.object.key)
    return done
  }
  await sweepPage()
  if (startAfter !== undefined) await position.clear()
  return done
}

/** Returns how many objects it deleted. Never rejects: the next sweep tries again. */
async function sweepObject(service: Service, object: ListedObject): Promise<number> {
  const { storage, config, now, log } = service
  const key = object.key.slice(config.keyPrefix.length)
  try {
    if (isOld(key, object, now(), config.runDays)) {
      await storage.delete(object.key)
      return 1
    }
    const active = ACTIVE.exec(key)?.groups
    if (active) return await sweepMark(service, object, active)
    const issued = API_KEY.exec(key)?.groups
    if (issued) return await sweepKey(service, issued.tenant!, issued.id!)
    return await sweepTombstone(storage, object)
  } catch (error) {
    log(faultEvent('none', 'sweep', error))
    return 0
  }
}

/** As {@link sweepObject}, for files of callers. */
async function expire(
  service: Service,
  rules: ReturnType<typeof expiryRules>,
  object: ListedObject,
): Promise<boolean> {
  if (rules.length === 0) return false
  try {
    return await expireFile(service, rules, object)
  } catch (error) {
    service.log(faultEvent('none', 'sweep', error))
    return false
  }
}

function isOld(key: string, { modifiedAt }: ListedObject, now: Date, runDays: number): boolean {
  const { id } = RUN.exec(key)?.groups ?? {}
  if (id !== undefined) return isBefore(timeOfRun(id), now, runDays * DAY_MS)
  if (KEY.test(key)) return isBefore(modifiedAt, now, KEY_LIFE_MS + HOUR_MS)
  const { day } = DAILY_USAGE.exec(key)?.groups ?? {}
  // Another process may have another day.
  if (day !== undefined) return isBefore(new Date(day), now, 3 * DAY_MS)
  if (REVOKED.test(key)) return areMarksOver(modifiedAt, now)
  if (isSignInOver(key, modifiedAt, now)) return true
  const { name } = USED_LINK.exec(key)?.groups ?? {}
  return name !== undefined && isForgotten(name, now)
}

/** Settles or queues the run; removes the mark if it is over or was never recorded. */
async function sweepMark(
  service: Service,
  { modifiedAt }: ListedObject,
  { tenant, owner, id }: Readonly<Record<string, string>>,
): Promise<number> {
  const store = RunStore.at(service, `${tenant}/${owner}/${id}`)!
  const found = await store.load()
  if (!found && !isBefore(modifiedAt, service.now(), HOUR_MS)) return 0
  const { record } = found ? await settleRun(service, store, found) : {}
  if (record && !isOver(record)) {
    const { runQueue } = service
    if (record.status === 'queued' && runQueue?.isForgetful) await runQueue.send(store.ref)
    return 0
  }
  await store.unmarkActive()
  return 1
}

async function sweepKey(service: Service, tenant: string, id: string): Promise<number> {
  // Another process may have another time.
  if (!isKeyOver(id, new Date(service.now().getTime() - HOUR_MS))) return 0
  const keys = new TenantKeys(service, tenant)
  const record = await keys.get(id)
  if (!record) return 0
  await keys.remove(record)
  return 2
}

/** Reading one that was left behind removes it. */
async function sweepTombstone(storage: StorageDriver, object: ListedObject): Promise<number> {
  if (object.bytes !== TOMBSTONE_BYTES || !isLeftBehind(object)) return 0
  await withTombstones(storage).head(object.key)
  return 0
}

function isBefore(time: Date, now: Date, ms: number): boolean {
  return time.getTime() < now.getTime() - ms
}

/** Where the last sweep stopped, if it did not reach the end. */
function sweepPosition(service: Service) {
  const store = storeOf(service, openSweep(areaLayout(service.config)), undefined)
  const path = parsePath('position')
  return {
    async load(): Promise<string | undefined> {
      const object = await store.get(path)
      return object ? new TextDecoder().decode(object.body) : undefined
    },
    save: (key: string) => store.put(path, new TextEncoder().encode(key)),
    clear: () => store.remove(path),
  }
}
