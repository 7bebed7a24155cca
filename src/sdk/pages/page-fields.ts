/** The names APIs use for pagination, and where to look for them. */

export type Fields = Readonly<Record<string, unknown>>

/** A URL, or a table with one as `href`. */
export const LINK_FIELDS = words(`
  next next_url next_page_url nextLink @odata.nextLink next_page nextPage
`)

export const CURSOR_FIELDS = words(`
  next_cursor nextCursor next_page_token nextPageToken next_token nextToken end_cursor endCursor after_cursor
  continuation_token continuationToken after next cursor
`)

export const CURSOR_PARAMS = words(`
  cursor page_token pageToken next_token nextToken continuation_token continuationToken after starting_after
  next_cursor start_cursor page_cursor page[after] page[cursor]
`)

export const PAGE_PARAMS = words('page page_number pageNumber page[number] p')
export const OFFSET_PARAMS = words('offset skip start startAt page[offset]')
export const SIZE_PARAMS = words(`
  per_page perPage page_size pageSize limit size count max_results maxResults page[size] page[limit]
`)

export const CURRENT_FIELDS = words('page current_page currentPage page_number pageNumber number')
export const NEXT_NUMBER_FIELDS = words('next_page nextPage')

export const PAGES_FIELDS = words(`
  total_pages totalPages last_page lastPage pages page_count pageCount
`)
export const TOTAL_FIELDS = words(`
  total total_count totalCount total_items totalItems total_results totalResults total_entries totalElements
`)

/** False at the end. */
export const MORE_FIELDS = words('has_more hasMore has_next hasNext has_next_page hasNextPage')
/** True at the end. */
export const LAST_FIELDS = words('is_last isLast last')

const HOLDERS = words(`
  links _links paging pagination meta metadata _metadata response_metadata page_info pageInfo page cursor cursors
`)

const ITEMS_FIELDS = words(`
  items data results records values entries rows list hits objects content elements children
`)
/** Lists may be nested one level deeper. */
const ITEMS_HOLDERS = words('data _embedded result response results hits')

/** The body, and the parts of it that hold pagination fields. */
export function holdersIn(body: unknown): Fields[] {
  const own = fieldsOf(body)
  const outer = [own, ...HOLDERS.map((name) => fieldsOf(own[name]))]
  const inner = [own.paging, own.meta].flatMap((holder) =>
    ['cursors', 'pagination', 'page', 'cursor'].map((name) => fieldsOf(fieldsOf(holder)[name])),
  )
  return [...outer, ...inner, fieldsOf(own.data)]
}

/** The body's main list. */
export function itemsIn(body: unknown): readonly unknown[] | undefined {
  if (Array.isArray(body)) return body
  const own = fieldsOf(body)
  const holders = [own, ...ITEMS_HOLDERS.map((name) => fieldsOf(own[name]))]
  for (const holder of holders) {
    const named = longest(ITEMS_FIELDS.map((name) => holder[name]))
    if (named) return named
  }
  return longest(holders.flatMap((holder) => Object.values(holder)))
}

/** The path of the body's only list, or of the only one with a usual name; else all paths. */
export function itemsPath(body: unknown): string | readonly string[] {
  if (Array.isArray(body)) return ''
  const own = fieldsOf(body)
  const paths = [
    ...listsIn(own, ''),
    ...ITEMS_HOLDERS.flatMap((name) => listsIn(fieldsOf(own[name]), `${name}.`)),
  ]
  const isUsual = (path: string) => ITEMS_FIELDS.includes(path.split('.').at(-1)!)
  const usual = paths.filter(isUsual)
  if (paths.length === 1) return paths[0]!
  return usual.length === 1 ? usual[0]! : paths
}

function listsIn(fields: Fields, prefix: string): string[] {
  const names = Object.keys(fields).filter((name) => Array.isArray(fields[name]))
  return names.map((name) => `${prefix}${name}`)
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {}
}

function longest(values: readonly unknown[]): readonly unknown[] | undefined {
  const lists = values.filter((value): value is unknown[] => Array.isArray(value))
  return lists.sort((a, b) => b.length - a.length)[0]
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}
