/** Large files: the runs that make them, and the bytes that must be stored. */

const ROW_BYTES = 1024
const ROWS_PER_MIB = 1024
const PAGES_PER_GIB = 800
const MIB_PER_GIB = 1024
/** The row's number has the same width in all rows. */
const FIRST_ID = 10_000_000
const RUN_MS = 1_800_000

/** A run that stores one large file. */
export interface LargeFile {
  readonly name: string
  readonly mib: number
  readonly script: string
  /** Without these no service would store so much. */
  readonly settings: Readonly<Record<string, string>>
  /** The result of the script. */
  readonly result: unknown
  /** What must be stored, one MiB at a time. */
  pieces(): Iterable<Uint8Array>
}

const PAD = 'abcdefghijklmnop'.repeat(63)

/** Written by a script, line by line. */
export function linesOf(mib: number): LargeFile {
  const lines = mib * ROWS_PER_MIB
  const script = `
    local pad = ('abcdefghijklmnop'):rep(63)
    local file = assert(io.open('large', 'w'))
    for i = 1, ${lines} do assert(file:write(('%014d '):format(i), pad, '\\n')) end
    assert(file:close())
    return ${lines}`
  return {
    name: 'large',
    mib,
    script,
    settings: {
      TIMEOUT_MS: String(RUN_MS),
      IO_MAX_BYTES: String(lines * ROW_BYTES),
      ...(mib > 4 * MIB_PER_GIB && { FUEL: String(lines * 10_000) }),
    },
    result: lines,
    pieces: () => rowsOf(mib, (row) => `${String(row + 1).padStart(14, '0')} ${PAD}\n`),
  }
}

/** All pages of an API, one JSON line for each row. */
export function dumpOf(mib: number): LargeFile {
  const rows = mib * ROWS_PER_MIB
  const bytes = rows * ROW_BYTES
  const isBeyondDefaults = mib > MIB_PER_GIB
  return {
    name: 'large',
    mib,
    script: 'return sdk.dump(sdk.a.list, {}, {save_to = "large", rows = "items"})',
    settings: {
      TIMEOUT_MS: String(RUN_MS),
      ...(isBeyondDefaults && {
        SAVE_MAX_BYTES: String(bytes),
        API_CALLS: String(2 * pageCount(mib)),
        FUEL: String(bytes * 10),
      }),
    },
    result: { path: 'large', bytes, rows, pages: pageCount(mib) },
    pieces: () => rowsOf(mib, (row) => `${rowText(row)}\n`),
  }
}

/** One page of the API, from 0 on. */
export function pageOf(mib: number, page: number): Buffer {
  const pages = pageCount(mib)
  const perPage = Math.floor((mib * ROWS_PER_MIB) / pages)
  const from = page * perPage
  const isLast = page === pages - 1
  const rows = isLast ? mib * ROWS_PER_MIB - from : perPage
  const next = isLast ? 'null' : `"${page + 1}"`
  const start = '{"items":['
  // Made once and then numbered: the API must not be what takes the time.
  const template = templates.get(rows) ?? Buffer.from(Array(rows).fill(rowText(0)).join(',\n'))
  templates.set(rows, template)
  const body = Buffer.concat([
    Buffer.from(start),
    template,
    Buffer.from(`],"next_cursor":${next}}`),
  ])
  for (let row = 0; row < rows; row++) {
    // A row and what separates it from the next.
    const at = start.length + row * (ROW_BYTES + 1) + ROW_START.length
    body.write(String(FIRST_ID + from + row), at, 'latin1')
  }
  return body
}

const templates = new Map<number, Buffer>()

function pageCount(mib: number): number {
  return Math.max(1, Math.floor((mib * PAGES_PER_GIB) / MIB_PER_GIB))
}

function* rowsOf(mib: number, textOf: (row: number) => string): Generator<Buffer> {
  for (let at = 0; at < mib; at++) {
    const rows = Array.from({ length: ROWS_PER_MIB }, (_, i) => textOf(at * ROWS_PER_MIB + i))
    yield Buffer.from(rows.join(''))
  }
}

const ROW_REST =
  ',"name":"Zoë Müller","email":"zoe@example.com","balance":1234567890.10,' +
  '"exact":9223372036854775808,"isActive":true,"parent":null,"tags":["red","green","blue"],' +
  '"address":{"street":"12 \\"Long\\" Lane","city":"London","zip":"N1 9GU"},"text":"'
const ROW_START = '{"id":'
const ROW_END = '"}'
const TEXT_BYTES = ROW_BYTES - 1 - Buffer.byteLength(`${ROW_START}${FIRST_ID}${ROW_REST}${ROW_END}`)
const ROW_TAIL = ROW_REST + 'lorem ipsum '.repeat(ROW_BYTES / 12).slice(0, TEXT_BYTES) + ROW_END

function rowText(row: number): string {
  return `${ROW_START}${FIRST_ID + row}${ROW_TAIL}`
}
