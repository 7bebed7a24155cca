/** Which area a caller's files lie in. */
import type { Caller } from '../caller.ts'
import type { AreaOwner } from '../files/area.ts'

/** The companion app comes first: it acts for users, but keeps its own files. */
export function areaOwner({ tenant, user, isCompanion }: Caller): AreaOwner {
  if (isCompanion) return { tenant, kind: 'companion', user: '' }
  return user === null ? { tenant, kind: 'default', user: '' } : { tenant, kind: 'user', user }
}
