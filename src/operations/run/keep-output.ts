/** Moves a result or logs that are too large for the answer to a file. */
import { AppError } from '../../errors.ts'
import { FileError } from '../../files/file-error.ts'
import { parsePath, type VirtualPath } from '../../files/path.ts'
import type { VirtualFiles } from '../../files/run/virtual-files.ts'
import { byteLengthOf } from '../../storage/object-body.ts'
import type { FileAccess } from '../../vm/library/library-host.ts'
import type { ScriptResult } from '../../vm/script-frame.ts'
import { splitChunks } from '../../files/content/file-bytes.ts'
import { jsonBytesOf } from '../files/file-encoding.ts'
import type { ExecuteAnswer } from './run-answer.ts'

interface OutputPlace {
  readonly files: VirtualFiles
  readonly access: FileAccess
}

/**
 * Stored with the run's other files, as `output/<kind>_<id>.<extension>`, unless there is a reason
 * why it cannot be.
 *
 * @param chunks Owned by {@link VirtualFiles.create} from then on.
 * @param bytes Of the whole output; the chunks are only its beginning if there was no room for it.
 */
function keepOutput(
  { files, access }: OutputPlace,
  kind: 'logs' | 'result',
  extension: string,
  chunks: readonly Uint8Array[],
  bytes: number,
): { path: VirtualPath } | { path?: undefined; reason: string } {
  if (!access.canWrite) return { reason: 'this run may not write files' }
  const id = crypto.randomUUID().replaceAll('-', '').slice(0, 12)
  try {
    const path = parsePath(`output/${kind}_${id}.${extension}`, access.paths)
    if (bytes > byteLengthOf(chunks)) throw new FileError('EFBIG')
    files.create(path, chunks)
    return { path }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.message
  if (error instanceof FileError) return 'the run has no room left for files'
  throw error
}

const PREVIEW_CHARACTERS = 2000
/** In UTF-8. */
const MAX_CHARACTER_BYTES = 4

/**
 * A large result becomes a file, and its beginning, as a JSON string, takes its place. If it cannot
 * be kept as a file, returns an error and only the beginning.
 */
export function keepResult(
  result: ScriptResult,
  place: OutputPlace,
  maxBytes: number,
): Pick<ExecuteAnswer, 'resultJson' | 'result_file' | 'error'> {
  if (typeof result === 'string') return { resultJson: result }
  const { chunks, bytes } = result
  const preview = JSON.stringify(beginningOf(chunks[0]!))
  const kept = keepOutput(place, 'result', 'json', chunks, bytes)
  if (kept.path !== undefined) return { resultJson: preview, result_file: kept.path }
  const message = `the result has ${bytes} bytes, more than the ${maxBytes} that an answer may have, and cannot be kept as a file: ${kept.reason}`
  return { resultJson: preview, error: { kind: 'result', message } }
}

/** Whole characters: many JSON readers reject a lone surrogate. */
function beginningOf(chunk: Uint8Array): string {
  const bytes = chunk.subarray(0, PREVIEW_CHARACTERS * MAX_CHARACTER_BYTES)
  // `stream` leaves out a last character that is cut off.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
  return Array.from(text).slice(0, PREVIEW_CHARACTERS).join('')
}

/** Kept inline: the last lines say the most. */
const TAIL_BYTES = 2000
/** Per UTF-16 unit, as measured by {@link bytesOf}. */
const MAX_UNIT_BYTES = 3

const utf8 = new TextEncoder()

/** Long logs become a file, and their end takes their place: if there is no file, all that fits. */
export function keepLogs(
  logs: readonly string[],
  place: OutputPlace,
  maxBytes: number,
  isDiscarded: boolean,
): Pick<ExecuteAnswer, 'logs' | 'logs_file'> {
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

/** The last lines that fit into a response, for logs that were kept elsewhere. */
export function endOfLogs(logs: readonly string[], maxBytes: number): readonly string[] {
  const isShort = logs.reduce((sum, line) => sum + bytesOf(line), 0) <= maxBytes
  return isShort ? logs : endOf(logs, maxBytes, 'left out')
}

/** The beginning of a result, as a JSON string. */
export function previewOf(resultJson: string): string {
  return JSON.stringify(Array.from(resultJson).slice(0, PREVIEW_CHARACTERS).join(''))
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
    return [`[earlier output is ${where}]`, endOfLine(logs.at(-1)!, maxBytes)]
  }
  const before = start === 1 ? '1 earlier line is' : `${start} earlier lines are`
  return [`[${before} ${where}]`, ...logs.slice(start)]
}

function endOfLine(line: string, maxBytes: number): string {
  const end = line.slice(-Math.floor(maxBytes / MAX_UNIT_BYTES))
  // Many JSON readers reject a lone surrogate.
  return `…${end.replace(/^[\udc00-\udfff]/, '')}`
}
