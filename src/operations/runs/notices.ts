/** Reports of ended runs travel as messages of their own: nobody waits for the receiver. */
import { faultEvent } from '../log-event.ts'
import type { Service } from '../service.ts'
import { notifyEnd } from './notify.ts'
import { isOver } from './record/run-record.ts'
import { RunStore } from './record/run-store.ts'

/** Behind the ref of the run. */
const NOTICE = '/notify'

/** Never rejects: the run is over. */
export async function queueNotice({ runQueue, log }: Service, store: RunStore): Promise<void> {
  const message = store.ref + NOTICE
  try {
    if (runQueue?.sendLater) await runQueue.sendLater(message, 0)
    else await runQueue?.send(message)
  } catch (error) {
    log(faultEvent(store.id, 'notify', error))
  }
}

/** `false` if the message is about a run to be started. @throws if the store fails. */
export async function takeNotice(service: Service, message: string): Promise<boolean> {
  if (!message.endsWith(NOTICE)) return false
  const store = RunStore.at(service, message.slice(0, -NOTICE.length))
  const found = await store?.load()
  if (!found || !isOver(found.record)) return true
  const { id, caller, status, notify: url, endedAt } = found.record
  if (url === undefined) return true
  const notice = { url, tenant: caller.tenant, id, status, endedAt: new Date(endedAt!) }
  const { runQueue } = service
  const tryLater = runQueue?.sendLater && ((ms: number) => runQueue.sendLater!(message, ms))
  await notifyEnd(service, notice, tryLater)
  return true
}
