/** A service whose process dies at a moment of the test's choosing. */
import type { Service } from '../../src/operations/service.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { watchedStorage, type Watch } from './watched-storage.ts'

/** Whether the process dies before or after this request reaches the store. */
export interface Death {
  readonly when: 'before' | 'after'
  readonly at: (...request: Parameters<Watch>) => boolean
}

/**
 * From its death on no request of the process reaches the store and none is answered: nothing of
 * what it would do next happens.
 */
export function dyingService(service: Service, { when, at }: Death) {
  let isDead = false
  const never = new Promise<never>(() => {})
  let announce = () => {}
  const died = new Promise<void>((resolve) => {
    announce = resolve
  })
  const die = () => {
    isDead = true
    announce()
    return never
  }
  const storage: StorageDriver = watchedStorage(
    service.storage,
    (...request) => (isDead || (when === 'before' && at(...request)) ? die() : undefined),
    (...request) => (isDead || (when === 'after' && at(...request)) ? die() : undefined),
  )
  return { service: { ...service, storage }, died }
}
