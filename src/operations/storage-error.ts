/** Says what of a run the store does not hold. */
import type { TouchedFile } from '../files/files-touched.ts'
import type { ScriptError } from '../vm/script-error.ts'

const MAX_NAMED = 10

/** The store's failure is the run's only where the script did not fail itself: the rows tell it anyway. */
export function storageError(rows: readonly TouchedFile[]): ScriptError | undefined {
  const unstored = rows.filter((row) => row.stored === false)
  if (unstored.length === 0) return undefined
  const conflicts = unstored.filter((row) => row.isConflict).map((row) => row.name)
  const others = unstored.filter((row) => !row.isConflict).map((row) => row.name)
  const parts = [
    ...(conflicts.length > 0 ? [`changed by somebody else meanwhile: ${nameSome(conflicts)}`] : []),
    ...(others.length > 0 ? [`the store did not take: ${nameSome(others)}`] : []),
  ]
  return { kind: 'storage', message: `not everything was stored; ${parts.join('; ')}` }
}

function nameSome(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED
  return names.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
