/** Unified diffs of files, as patches take them. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'

const CONTEXT_LINES = 3
/** The time grows with the square of the lines that differ; a file on its own is no matter. */
const MAX_CHANGED_LINES = 1000

/**
 * `undefined` if too much differs, or nothing.
 *
 * @param before `null` if the file is new.
 * @param after `null` if it is removed.
 */
export function unifiedDiff(
  name: string,
  before: string | null,
  after: string | null,
): string | undefined {
  if (before === after) return undefined
  const isOneSided = before === null || after === null
  return createTwoFilesPatch(
    before === null ? '/dev/null' : `a/${name}`,
    after === null ? '/dev/null' : `b/${name}`,
    before ?? '',
    after ?? '',
    undefined,
    undefined,
    {
      context: CONTEXT_LINES,
      headerOptions: FILE_HEADERS_ONLY,
      maxEditLength: isOneSided ? Infinity : MAX_CHANGED_LINES,
    },
  )
}
