/** What handlers find in the context of a request. */
import type { Caller } from '../caller.ts'
import type { RequestContext } from '../operations/service.ts'

/** Set by middleware in the order of the routes; errors may be answered before all of it is there. */
export interface AppEnv {
  Variables: {
    requestId: string
    /** Behind authentication only. */
    caller: Caller
    /** Behind {@link holdMemory} only. */
    holdBody?: RequestContext['hold']
    hold?: RequestContext['hold']
    release?: RequestContext['release']
  }
}
