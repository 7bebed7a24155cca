/** Reads a file, or a part of it, as text. */
import * as z from 'zod'
import type { Encoding } from '../../settings.ts'
import { AppError } from '../../errors.ts'
import type { VirtualPath } from '../../files/path.ts'
import { openCallerFiles, quoted, type CallerFiles } from '../caller-files.ts'
import { jsonBytesOf, textOf } from './file-encoding.ts'
import { findLines } from './find-lines.ts'
import { isContinuation, LongText } from './long-text.ts'
import { countField, encodingField, pathField } from '../fields.ts'
import { operation, READS_ONLY } from '../operation.ts'
import { TEXT_COPIES } from '../memory/request-memory.ts'

/** Continuation bytes of a UTF-8 character. */
const MAX_CONTINUATION = 3
/** More than models get. */
const LONG_BYTES = 262_144 + MAX_CONTINUATION

export const readFile = operation({
  name: 'read',
  route: 'POST /fs/read',
  tool: 'file_read',
  title: 'Read a file',
  description:
    'Reads a file, or a part of it by bytes or lines. While truncated is true, continue at offset + bytes.',
  scopes: ['files:read'],
  hints: READS_ONLY,
  forModels: { defaults: { length: 16_384 }, maxima: { length: 262_144 } },
  input: () =>
    z.strictObject({
      path: pathField(),
      encoding: encodingField(),
      offset: countField(0).describe('The first byte; 0 by default.'),
      length: countField(1).describe('How many bytes; in utf-8, whole characters.'),
      from_line: countField(1).describe('The first line, counted from 1; not with offset.'),
      lines: countField(1).describe('How many lines, within length.'),
    }),
  output: () =>
    z.strictObject({
      content: z.string(),
      encoding: z.string(),
      bytes: z.int().describe('Of this content.'),
      offset: z.int().describe('Where in the file this content begins.'),
      total_bytes: z.int().describe('Of the whole file.'),
      truncated: z.boolean().describe('Whether the file continues after this content.'),
    }),

  async run(ctx, input) {
    const { maxFileBytes, defaultEncoding } = ctx.service.config
    const { encoding = defaultEncoding, length = maxFileBytes, from_line: fromLine, lines } = input
    const isByLine = fromLine !== undefined || lines !== undefined
    if (isByLine) assertLines(input, encoding)
    const files = await openCallerFiles(ctx)
    const path = files.parsePath(input.path)
    const wanted = Math.min(length, maxFileBytes)
    const from = { offset: input.offset ?? 0, length: wanted + MAX_CONTINUATION }
    const isPart = isByLine || input.offset !== undefined || input.length !== undefined
    const hold = (bytes: number) =>
      ctx.memory?.holdFile(bytes, bytes > LONG_BYTES ? undefined : TEXT_COPIES)
    if (isPart) await hold(wanted)
    const refuse = (bytes: number) => tooLarge(path, bytes, maxFileBytes)
    const reading = isByLine
      ? readLines(files, path, { ...from, fromLine, lines })
      : isPart
        ? files.get(path, from)
        : files.getWhole(path, maxFileBytes, refuse, hold)
    const file = (await reading) ?? (await files.refuseMissing(path))

    const offset = 'start' in file ? file.start : from.offset
    const { start, end } = boundsOf(file.body, wanted, from.offset, encoding)
    const content = file.body.subarray(start, end)
    const text =
      content.length > LONG_BYTES ? new LongText(content, encoding) : textOf(content, encoding)
    assertEncodable(text, encoding, maxFileBytes)
    return {
      content: text as string,
      encoding,
      bytes: content.length,
      offset: offset + start,
      total_bytes: file.bytes,
      truncated: offset + end < file.bytes,
    }
  },
})

interface LinesInput {
  readonly fromLine: number | undefined
  readonly lines: number | undefined
  readonly offset: number
  readonly length: number
}

/** `start` is where they begin in the file; `null` if there is no such file. */
async function readLines(
  files: CallerFiles,
  path: VirtualPath,
  { fromLine = 1, lines = Infinity, offset, length }: LinesInput,
) {
  const whole = { offset, length: Number.MAX_SAFE_INTEGER - offset }
  const file = await files.getStream(path, offset === 0 ? undefined : whole)
  if (!file) return null
  const range = { skip: fromLine - 1, lines, maxBytes: length }
  const { start, body } = await findLines(files.pieces(file.body), range)
  return { body, bytes: file.bytes, start: offset + start }
}

/** @throws {AppError} `invalid_request` */
function assertLines(
  { offset, from_line }: { readonly offset?: number | undefined; readonly from_line?: unknown },
  encoding: Encoding,
): void {
  if (offset !== undefined && from_line !== undefined) {
    throw new AppError('invalid_request', 'from_line: cannot be combined with offset')
  }
  if (encoding === 'utf-16le') {
    throw new AppError('invalid_request', 'lines: cannot be counted in utf-16le. Use offset.')
  }
}

/** `bytes` may extend past the wanted part, to complete its last character. */
function boundsOf(bytes: Uint8Array, wanted: number, offset: number, encoding: Encoding) {
  let start = 0
  let end = Math.min(wanted, bytes.length)
  if (encoding !== 'utf-8') return { start, end }
  // Read in parts, each character is returned exactly once: in the part where it begins.
  const skippable = offset > 0 ? MAX_CONTINUATION : 0
  while (start < skippable && isContinuation(bytes[start])) start++
  while (isContinuation(bytes[end])) end++
  return { start, end: Math.max(start, end) }
}

/** JSON escapes make control characters six times as large. */
function assertEncodable(text: string | LongText, encoding: Encoding, maxFileBytes: number): void {
  // Quotes do not count: an empty text must pass any limit.
  const bytes = text instanceof LongText ? text.jsonBytes() : jsonBytesOf(text) - 2
  if (bytes <= 2 * maxFileBytes) return
  const message = `This content is too long for an answer in ${encoding}. Ask for base64, or for a part with offset and length.`
  throw new AppError('too_large', message)
}

function tooLarge(path: string, bytes: number, maxBytes: number): AppError {
  const message = `${quoted(path)} has ${bytes} bytes, more than the ${maxBytes} that are read at once. Ask for a part with offset and length, or for a link.`
  return new AppError('too_large', message)
}
