/** Reports a run's files: as they are stored, and those that could not be. */
import type { TouchedFile } from '../../files/run/files-touched.ts'
import type { ScriptError } from '../../vm/script-error.ts'
import { rowWithoutLinks, type FileRow } from './run-answer.ts'

/**
 * Reports each file once stored; `finish` reports any whose final state differs.
 *
 * @param linked Adds links to a row.
 * @param showsLinks Whether events include links; without `files:read`, only the answer does.
 */
export function fileProgress(
  linked: (row: TouchedFile) => Promise<FileRow>,
  onFile: ((row: FileRow) => void) | undefined,
  showsLinks: boolean,
) {
  const reported = new Map<string, string>()
  let reporting: Promise<void> = Promise.resolve()
  return {
    /** For a file stored while the script is running. */
    stored(row: TouchedFile): void {
      if (!onFile) return
      reported.set(row.name, JSON.stringify(row))
      const event = showsLinks ? linked(row) : rowWithoutLinks(row)
      // Keeps the storing order: a later file's links may be ready first.
      reporting = Promise.all([event, reporting]).then(([ready]) => onFile(ready))
    },

    /** Returns the rows of the answer. */
    async finish(rows: readonly TouchedFile[]): Promise<FileRow[]> {
      const answer = await Promise.all(rows.map(linked))
      await reporting
      rows.forEach((row, i) => {
        if (reported.get(row.name) === JSON.stringify(row)) return
        onFile?.(showsLinks ? answer[i]! : rowWithoutLinks(row))
      })
      return answer
    },
  }
}

const MAX_NAMED = 10

/**
 * Names the files that were not stored. A script's own error takes precedence; the rows have
 * `stored: false` either way.
 *
 * @param quotaRefusal Why there was no room for some.
 */
export function storageError(
  rows: readonly TouchedFile[],
  quotaRefusal?: string,
): ScriptError | undefined {
  const unstored = rows.filter((row) => row.stored === false)
  if (unstored.length === 0) return undefined
  if (quotaRefusal !== undefined && unstored.some((row) => row.isOverQuota)) {
    return { kind: 'limit', message: `${quotaRefusal} Not stored: ${namesOf(unstored)}` }
  }
  const conflicts = unstored.filter((row) => row.isConflict)
  const unclear = unstored.filter((row) => row.isUnclear)
  const refused = unstored.filter((row) => !row.isConflict && !row.isUnclear)
  const parts = [
    ['changed by someone else in the meantime', conflicts],
    ['not accepted by the store', refused],
    ['not confirmed by the store', unclear],
  ] as const
  const lists = parts.filter(([, found]) => found.length > 0)
  const isAllUnclear = unclear.length === unstored.length
  const what = isAllUnclear
    ? 'it is not known whether everything was stored'
    : 'not everything was stored'
  const reasons = lists.map(([reason, found]) => `${reason}: ${namesOf(found)}`)
  return { kind: 'storage', message: [what, ...reasons].join('; ') }
}

function namesOf(rows: readonly TouchedFile[]): string {
  const rest = rows.length - MAX_NAMED
  const names = rows.slice(0, MAX_NAMED).map((row) => row.name)
  return names.join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
