/** What the consumer of a queue does with a message. */
import { apiKeyFinder } from '../keys/known-keys.ts'
import { faultEvent } from '../log-event.ts'
import type { RequestContext, Service } from '../service.ts'
import { takeNotice } from './notices.ts'
import { isWithin } from './read-run.ts'
import { newLease } from './record/run-lease.ts'
import { callerOf, isOver, type RunRecord } from './record/run-record.ts'
import { finish, runRecorded } from './run-recorded.ts'
import { RunStore, type FoundRun } from './record/run-store.ts'
import { settleRun } from './settle-run.ts'

/**
 * Runs a script at most once, however often its message arrives: only the first claim of its record
 * succeeds. Resolves without effect for a run that is not there, was claimed or is over.
 *
 * @param signal Ends the run, because its process must.
 * @throws if the store fails before the claim: the message may be delivered again.
 */
export async function runQueued(
  service: Service,
  ref: string,
  signal?: AbortSignal,
): Promise<void> {
  if (await takeNotice(service, ref)) return
  const store = RunStore.at(service, ref)
  const found = await store?.load()
  if (!store || !found || isOver(found.record)) return
  const current = await settleRun(service, store, found)
  if (current.record.status !== 'queued') return
  if (!(await mayStillRun(service, current.record))) {
    await finish(service, store, current, { status: 'cancelled' })
    return
  }
  const claimed = await claim(service, store, current)
  if (!claimed) return
  await runClaimed(service, store, claimed, signal)
  // There is no request that would.
  await service.storeAudit?.()
}

/** A revoked key no longer gives the rights that the run has; tokens are not checked again. */
async function mayStillRun(service: Service, { caller }: RunRecord): Promise<boolean> {
  if (caller.apiKey === undefined) return true
  const owner = await apiKeyFinder(service)(caller.apiKey)
  if (!owner || owner.tenant !== caller.tenant || (owner.user ?? null) !== caller.user) return false
  const { config } = service
  const scopes = new Set(owner.scopes ?? config.auth.defaultScopes)
  return isWithin(caller, { scopes, paths: owner.paths }, config)
}

async function claim(service: Service, store: RunStore, found: FoundRun): Promise<FoundRun | null> {
  return store.replace(found, {
    status: 'running',
    startedAt: service.now().getTime(),
    attempts: found.record.attempts + 1,
    lease: newLease(service),
  })
}

async function runClaimed(
  service: Service,
  store: RunStore,
  claimed: FoundRun,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { caller, requestId, baseUrl } = claimed.record
  const ctx: RequestContext = { service, caller: callerOf(caller), requestId, baseUrl, signal }
  try {
    const input = await store.getInput()
    if (!input) throw new Error('the input of a run is missing')
    await runRecorded(ctx, store, claimed, input)
  } catch (error) {
    // Its lease runs out, and readers find what it had stored.
    service.log(faultEvent(requestId, 'run', error))
  }
}
