/** Makes a file of logs that are too long for the answer; their end stays. */
import { inChunks } from '../../files/file-bytes.ts'
import type { VirtualPath } from '../../files/path.ts'
import { jsonBytesOf } from '../files/file-encoding.ts'
import { keepOutput, type OutputPlace } from './keep-output.ts'

/** Of the end that stays: what happened last says most. */
const TAIL_BYTES = 2000
/** Of a UTF-16 unit, by the measure of {@link bytesOf}. */
const MAX_UNIT_BYTES = 3

const utf8 = new TextEncoder()

/** Logs as the answer tells them. */
export interface KeptLogs {
  readonly logs: readonly string[]
  /** Where all of them are, if not here. */
  readonly logs_file?: VirtualPath | undefined
}

/** Where they cannot be kept as a file, as much of their end stays as an answer takes. */
export function keepLogs(
  logs: readonly string[],
  place: OutputPlace,
  maxBytes: number,
  isDiscarded: boolean,
): KeptLogs {
  // Most logs are so short that they need no counting.
  const units = logs.reduce((sum, line) => sum + line.length + 1, 0)
  if (units * MAX_UNIT_BYTES <= maxBytes) return { logs }
  if (logs.reduce((sum, line) => sum + bytesOf(line), 0) <= maxBytes) return { logs }

  const text = utf8.encode(logs.map((line) => `${line}\n`).join(''))
  const path = isDiscarded
    ? undefined
    : keepOutput(place, 'logs', 'txt', inChunks(text), text.length).path
  const where = path ? `in ${path}` : 'left out'
  return { logs: endOf(logs, path ? TAIL_BYTES : maxBytes, where), logs_file: path }
}

/** As text, or half of what it takes as JSON: there, control characters are six times as long. */
function bytesOf(line: string): number {
  return Math.max(utf8.encode(line).length + 1, (jsonBytesOf(line) + 1) / 2)
}

/** Whole lines, or a part of the last one if that is longer than everything; the first says what is missing. */
function endOf(logs: readonly string[], maxBytes: number, where: string): readonly string[] {
  let room = maxBytes
  let start = logs.length
  while (start > 0) {
    room -= bytesOf(logs[start - 1]!)
    if (room < 0) break
    start--
  }
  if (start === logs.length) {
    return [`[what is before this is ${where}]`, endOfLine(logs.at(-1)!, maxBytes)]
  }
  const before = start === 1 ? '1 line before this is' : `${start} lines before this are`
  return [`[${before} ${where}]`, ...logs.slice(start)]
}

function endOfLine(line: string, maxBytes: number): string {
  const end = line.slice(-Math.floor(maxBytes / MAX_UNIT_BYTES))
  // Half a surrogate pair is no text to most who read JSON.
  return `…${end.replace(/^[\udc00-\udfff]/, '')}`
}
