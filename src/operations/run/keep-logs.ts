/** Moves logs that are too long for the answer to a file, and keeps their end inline. */
import { splitChunks } from '../../files/content/file-bytes.ts'
import type { VirtualPath } from '../../files/path.ts'
import { jsonBytesOf } from '../files/file-encoding.ts'
import { keepOutput, type OutputPlace } from './keep-output.ts'

/** Kept inline: the last lines say the most. */
const TAIL_BYTES = 2000
/** Per UTF-16 unit, as measured by {@link bytesOf}. */
const MAX_UNIT_BYTES = 3

const utf8 = new TextEncoder()

export interface KeptLogs {
  readonly logs: readonly string[]
  /** The file with all of them, if they are not inline. */
  readonly logs_file?: VirtualPath | undefined
}

/** If they cannot be kept as a file, keeps as much of their end as fits in the answer. */
export function keepLogs(
  logs: readonly string[],
  place: OutputPlace,
  maxBytes: number,
  isDiscarded: boolean,
): KeptLogs {
  // Most logs are short enough to skip counting bytes.
  const units = logs.reduce((sum, line) => sum + line.length + 1, 0)
  if (units * MAX_UNIT_BYTES <= maxBytes) return { logs }
  if (logs.reduce((sum, line) => sum + bytesOf(line), 0) <= maxBytes) return { logs }

  const text = utf8.encode(logs.map((line) => `${line}\n`).join(''))
  const path = isDiscarded
    ? undefined
    : keepOutput(place, 'logs', 'txt', splitChunks(text), text.length).path
  const where = path ? `in ${path}` : 'left out'
  return { logs: endOf(logs, path ? TAIL_BYTES : maxBytes, where), logs_file: path }
}

/** As text, or half the size as JSON, where control characters take six bytes. */
function bytesOf(line: string): number {
  return Math.max(utf8.encode(line).length + 1, (jsonBytesOf(line) + 1) / 2)
}

/** Whole lines, or part of the last if it alone is too long; the first says what is missing. */
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
  // Many JSON readers reject a lone surrogate.
  return `…${end.replace(/^[\udc00-\udfff]/, '')}`
}
