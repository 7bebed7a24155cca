/** Which area a caller's files are in. */
import type { Caller } from '../caller.ts'
import type { AreaOwner } from '../files/store/area.ts'

/** Checks for the companion app first: it acts for users, but has its own files. */
export function areaOwner({ tenant, user, isCompanion }: Caller): AreaOwner {
  if (isCompanion) return { tenant, kind: 'companion', user: '' }
  return user === null ? { tenant, kind: 'default', user: '' } : { tenant, kind: 'user', user }
}
