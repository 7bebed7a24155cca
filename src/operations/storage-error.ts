/** Describes which files of a run were not stored. */
import type { TouchedFile } from '../files/run/files-touched.ts'
import type { ScriptError } from '../vm/script-error.ts'

const MAX_NAMED = 10

/** A script's own error takes precedence; the rows have `stored: false` either way. */
export function storageError(rows: readonly TouchedFile[]): ScriptError | undefined {
  const unstored = rows.filter((row) => row.stored === false)
  if (unstored.length === 0) return undefined
  const conflicts = unstored.filter((row) => row.isConflict)
  const unclear = unstored.filter((row) => row.isUnclear)
  const refused = unstored.filter((row) => !row.isConflict && !row.isUnclear)
  const parts = [
    ...told('changed by somebody else meanwhile', conflicts),
    ...told('the store did not take', refused),
    ...told('the store did not answer and may have taken', unclear),
  ]
  const isAllUnclear = unclear.length === unstored.length
  const what = isAllUnclear ? 'not everything is known to be stored' : 'not everything was stored'
  return { kind: 'storage', message: `${what}; ${parts.join('; ')}` }
}

function told(what: string, rows: readonly TouchedFile[]): string[] {
  return rows.length === 0 ? [] : [`${what}: ${nameSome(rows.map((row) => row.name))}`]
}

function nameSome(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED
  return names.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
