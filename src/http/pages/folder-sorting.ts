/** The order of the entries on a folder page, by parameters of its address. */
import type { LinkedEntry } from '../../operations/links/open-link.ts'

const COLUMNS = ['name', 'size', 'time'] as const

export type SortColumn = (typeof COLUMNS)[number]

export interface Sorting {
  readonly by: SortColumn
  readonly isDescending: boolean
}

export const BY_NAME: Sorting = { by: 'name', isDescending: false }

/** Anything else is by name. */
export function parseSorting({ sort, order }: Readonly<Record<string, string>>): Sorting {
  const by = COLUMNS.find((column) => column === sort)
  return by ? { by, isDescending: order === 'desc' } : BY_NAME
}

/** As parameters of an address. */
export function sortQuery({ by, isDescending }: Sorting): string {
  if (by === 'name' && !isDescending) return ''
  return `&sort=${by}${isDescending ? '&order=desc' : ''}`
}

/** Folders first: they have no size and no time. @param entries By name. */
export function sortEntries(
  entries: readonly LinkedEntry[],
  { by, isDescending }: Sorting,
): readonly LinkedEntry[] {
  const folders = entries.filter(({ type }) => type === 'folder')
  const files = entries.filter(({ type }) => type === 'file')
  if (by === 'name') {
    return [folders, files].flatMap((group) => (isDescending ? group.toReversed() : group))
  }
  const keyOf = ({ bytes, modifiedAt }: LinkedEntry) =>
    by === 'size' ? (bytes ?? 0) : (modifiedAt?.getTime() ?? 0)
  const sign = isDescending ? -1 : 1
  return [...folders, ...files.sort((one, other) => sign * (keyOf(one) - keyOf(other)))]
}
