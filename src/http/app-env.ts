/** The variables of a request's Hono context. */
import type { Caller } from '../caller.ts'
import type { RequestContext } from '../operations/service.ts'

/** Set by middleware in route order; error handlers may run before all are set. */
export interface AppEnv {
  Variables: {
    requestId: string
    /** Only after authentication. */
    caller: Caller
    /** Only after {@link holdMemory}. */
    holdBody?: RequestContext['hold']
    hold?: RequestContext['hold']
    release?: RequestContext['release']
  }
}
