/** The variables of a request's Hono context. */
import type { Caller } from '../caller.ts'
import type { RequestMemory } from '../operations/memory/request-memory.ts'

/** Set by middleware in route order; error handlers may run before all are set. */
export interface AppEnv {
  Variables: {
    requestId: string
    /** As in the service. */
    storeAudit?: (() => Promise<void>) | undefined
    /** Only after authentication. */
    caller: Caller
    /** Only after {@link holdMemory}. */
    memory?: RequestMemory
  }
}
