/** Makes a file of logs that are too long for the answer; their end stays. */
import type { VirtualPath } from '../files/path.ts'
import { keepOutput, type OutputPlace } from './keep-output.ts'

/** Of the end that stays: what happened last says most. */
const TAIL_BYTES = 2000

/** Logs as the answer tells them. */
export interface KeptLogs {
  readonly logs: readonly string[]
  /** Where all of them are, if not here. */
  readonly logsFile?: VirtualPath | undefined
}

/** Where they cannot be kept as a file, as much of their end stays as an answer takes. */
export function keepLogs(
  logs: readonly string[],
  place: OutputPlace,
  maxBytes: number,
  isDiscarded: boolean,
): KeptLogs {
  const text = logs.map((line) => `${line}\n`).join('')
  // A character has at most three bytes, so most logs need no counting.
  if (text.length * 3 <= maxBytes) return { logs }
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= maxBytes) return { logs }

  const path = isDiscarded ? undefined : keepOutput(place, 'logs', 'txt', bytes).path
  const tail = endOf(logs, path ? TAIL_BYTES : maxBytes)
  const left = `${logs.length - tail.length} lines before this are`
  const notice = path ? `[${left} in ${path}]` : `[${left} left out]`
  return { logs: [notice, ...tail], logsFile: path }
}

/** Whole lines; one that is longer than everything is left out as well. */
function endOf(logs: readonly string[], maxBytes: number): readonly string[] {
  const encoder = new TextEncoder()
  let room = maxBytes
  let start = logs.length
  while (start > 0) {
    room -= encoder.encode(logs[start - 1]).length + 1
    if (room < 0) break
    start--
  }
  return logs.slice(start)
}
