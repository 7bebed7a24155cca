/** Keeps an answer short when a run touched many files: some rows, a count, and a link to the folder. */
import { AppError } from '../errors.ts'
import { createLink } from '../operations/links/create-link.ts'
import { shortRowBody } from '../operations/run/execute-answer.ts'
import type { ExecuteAnswer } from '../operations/run/execute-script.ts'
import type { FileRow } from '../operations/links/file-links.ts'
import type { RequestContext } from '../operations/service.ts'

const MAX_ROWS = 50
/** As JSON: of files with long names, fewer fit. */
const MAX_ROW_BYTES = 16_384

/** The files that have no row of their own. */
export interface MoreFiles {
  readonly count: number
  /** In which all of them are; "." for the root. */
  readonly folder: string
  readonly link?: string | undefined
}

/**
 * The rows that fit, in name order, with those of a result or logs that became a file among them.
 *
 * @param linkTtlS How long the link lives, if not as long as configured.
 */
export async function summariseFiles(
  ctx: RequestContext,
  { filesTouched, resultFile, logsFile }: ExecuteAnswer,
  linkTtlS: number | undefined,
): Promise<{ readonly rows: readonly FileRow[]; readonly more?: MoreFiles }> {
  const fitting = countFitting(filesTouched)
  const isShown = (row: FileRow, at: number) =>
    at < fitting || row.name === resultFile || row.name === logsFile
  const hidden = filesTouched.filter((row, at) => !isShown(row, at))
  if (hidden.length === 0) return { rows: filesTouched }
  const folder = commonFolder(hidden.map(({ name }) => name))
  const link = await linkTo(ctx, folder, linkTtlS)
  const more = { count: hidden.length, folder: folder || '.', link }
  return { rows: filesTouched.filter(isShown), more }
}

function countFitting(rows: readonly FileRow[]): number {
  const utf8 = new TextEncoder()
  let room = MAX_ROW_BYTES
  const end = rows.slice(0, MAX_ROWS).findIndex((row) => {
    room -= utf8.encode(JSON.stringify(shortRowBody(row))).length
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
    return (await createLink.run(ctx, { path, ttl_s: ttlS, download: false })).link
  } catch (error) {
    // The caller may not read, everything in it was removed, or the store does not answer: the run succeeded.
    if (error instanceof AppError) return undefined
    throw error
  }
}
