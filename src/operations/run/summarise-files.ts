/** Shortens a response with many files: some rows, a count, and a link to the folder. */
import { AppError } from '../../errors.ts'
import { createLink } from '../links/create-link.ts'
import type { RequestContext } from '../service.ts'
import type { ExecuteAnswer, FileRow } from './run-answer.ts'

const MAX_ROWS = 50
/** A link takes as many tokens as all the rest of ten rows. */
const MAX_LINKS = 10
/** As JSON, for all rows together: fewer fit if names are long. */
const MAX_ROW_BYTES = 16_384

type Summary = Pick<ExecuteAnswer, 'files_touched' | 'more_files'>

/**
 * The rows that fit, in name order, including those of a result or logs file.
 *
 * @param linkTtlS Defaults to the configured lifetime.
 */
export async function summariseFiles(
  ctx: RequestContext,
  answer: Pick<ExecuteAnswer, 'files_touched' | 'result_file' | 'logs_file'>,
  linkTtlS: number | undefined,
): Promise<Summary> {
  const isKept = ({ name }: FileRow) => name === answer.result_file || name === answer.logs_file
  const rows = withFewLinks(answer.files_touched, isKept)
  const fitting = countFitting(rows)
  const isShown = (row: FileRow, at: number) => at < fitting || isKept(row)
  const hidden = rows.filter((row, at) => !isShown(row, at))
  if (hidden.length === 0) return { files_touched: rows }
  const folder = commonFolder(hidden.map(({ name }) => name))
  const link = await linkTo(ctx, folder, linkTtlS)
  return {
    files_touched: rows.filter(isShown),
    more_files: { count: hidden.length, folder: folder || '.', link },
  }
}

/** Without presigned URLs, and with the links of the first files only, and of those kept. */
function withFewLinks(rows: readonly FileRow[], isKept: (row: FileRow) => boolean): FileRow[] {
  let links = 0
  return rows.map(({ name, op, bytes, stored, link, expires_at }) => {
    const row = { name, op, bytes, ...(stored === false && { stored }) }
    const isLinked = link !== undefined && (isKept(row) || ++links <= MAX_LINKS)
    return { ...row, ...(isLinked && { link, ...(expires_at !== undefined && { expires_at }) }) }
  })
}

function countFitting(rows: readonly FileRow[]): number {
  const utf8 = new TextEncoder()
  let room = MAX_ROW_BYTES
  const end = rows.slice(0, MAX_ROWS).findIndex((row) => {
    room -= utf8.encode(JSON.stringify(row)).length
    return room < 0
  })
  return end < 0 ? MAX_ROWS : end
}

function commonFolder([first = '', ...names]: readonly string[]): string {
  const folders = first.split('/').slice(0, -1)
  while (folders.length > 0 && !names.every((name) => name.startsWith(`${folders.join('/')}/`))) {
    folders.pop()
  }
  return folders.join('/')
}

async function linkTo(
  ctx: RequestContext,
  path: string,
  ttlS: number | undefined,
): Promise<string | undefined> {
  try {
    return (await createLink.run(ctx, { path, ttl_s: ttlS })).link
  } catch (error) {
    // Not allowed to read, all removed, or the store is down: the run itself succeeded.
    if (error instanceof AppError) return undefined
    throw error
  }
}
