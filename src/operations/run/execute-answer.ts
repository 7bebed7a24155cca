/** The answer of a run as JSON. */
import type { ExecuteAnswer } from './execute-script.ts'
import type { FileRow } from '../links/file-links.ts'
import { timestamp } from '../timestamp.ts'

/** The result is JSON already: parsing it to write it again would cost time and change numbers. */
export function answerJson(answer: ExecuteAnswer): string {
  return `{"result":${answer.resultJson},${JSON.stringify(answerBody(answer)).slice(1)}`
}

/** Everything but the result; for models, with short links only. */
export function answerBody({ resultFile, logsFile, ...answer }: ExecuteAnswer, toRow = rowBody) {
  return {
    ...(resultFile && { result_file: resultFile }),
    logs: answer.logs,
    ...(logsFile && { logs_file: logsFile }),
    files_touched: answer.filesTouched.map((row) => toRow(row)),
    ...(answer.error && { error: answer.error }),
  }
}

/** One row of `files_touched`. */
export function rowJson(row: FileRow): string {
  return JSON.stringify(rowBody(row))
}

/** The store's own addresses are long, and models corrupt them when they copy them. */
export function shortRowBody(row: FileRow) {
  return { ...stateBody(row), ...linkBody(row) }
}

function rowBody(row: FileRow) {
  const { url, urlExpiresAt } = row
  const direct = url && { url, ...(urlExpiresAt && { url_expires_at: timestamp(urlExpiresAt) }) }
  return { ...stateBody(row), ...direct, ...linkBody(row) }
}

function stateBody({ name, op, bytes, stored }: FileRow) {
  return { name, op, bytes, ...(stored === false && { stored }) }
}

function linkBody({ link, expiresAt }: FileRow) {
  return link && { link, ...(expiresAt && { expires_at: timestamp(expiresAt) }) }
}
