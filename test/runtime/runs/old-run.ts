/** A run of long ago, in a store that a service sweeps now. */
import type { StorageDriver } from '../../../src/storage/driver.ts'
import { makeApp } from '../../support/make-app.ts'
import { testQueue } from '../../support/run-queue.ts'

/** Longer than runs are kept. */
const AGE_MS = 10 * 24 * 3600 * 1000

/** Nobody has run it, and it is kept no longer. */
export async function leaveOldRun(storage: StorageDriver) {
  const { post, tenant } = await makeApp({
    storage,
    now: () => new Date(Date.now() - AGE_MS),
    runQueue: testQueue(),
  })
  const response = await post({ script: 'return 1', background: true })
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`)
  return {
    async isThere(): Promise<boolean> {
      for await (const _ of storage.list(`${tenant}/runs/users/`)) return true
      return false
    },
  }
}
