/** The answer of a run as JSON. */
import type { ExecuteAnswer } from '../operations/execute-script.ts'
import type { FileRow } from '../operations/file-links.ts'

/** The result is JSON already: parsing it to write it again would cost time and change numbers. */
export function answerJson({ resultJson, resultFile, ...answer }: ExecuteAnswer): string {
  const rest = JSON.stringify({
    ...(resultFile && { result_file: resultFile }),
    logs: answer.logs,
    files_touched: answer.filesTouched.map(rowBody),
    ...(answer.error && { error: answer.error }),
  })
  return `{"result":${resultJson},${rest.slice(1)}`
}

/** One row of `files_touched`. */
export function rowJson(row: FileRow): string {
  return JSON.stringify(rowBody(row))
}

function rowBody({ name, op, bytes, stored, ...links }: FileRow) {
  const { url, urlExpiresAt, link, expiresAt } = links
  return {
    name,
    op,
    bytes,
    ...(stored === false && { stored }),
    ...(url && { url, url_expires_at: isoSeconds(urlExpiresAt!) }),
    ...(link && { link, expires_at: isoSeconds(expiresAt!) }),
  }
}

function isoSeconds(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z')
}
