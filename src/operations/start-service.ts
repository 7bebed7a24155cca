/** What every entry does with the service it has made. */
import { withAuditStore } from './audit/audit-store.ts'
import type { Service } from './service.ts'
import { expiryRules } from './sweep/expire-file.ts'

/**
 * Once per process, outside its threads.
 *
 * @throws {InvalidConfig} for settings that only the operations can check.
 */
export function startService(service: Service): Service {
  expiryRules(service.config)
  return withAuditStore(service)
}
