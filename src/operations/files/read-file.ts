/** Reads a file, or a part of it, as text. */
import * as z from 'zod'
import type { Encoding } from '../../settings.ts'
import { AppError } from '../../errors.ts'
import { openCallerFiles, quoted } from '../caller-files.ts'
import { jsonBytesOf, textOf } from './file-encoding.ts'
import { isContinuation, LongText } from './long-text.ts'
import { encodingField, pathField } from '../fields.ts'
import { operation, READS_ONLY } from '../operation.ts'
import { TEXT_COPIES } from '../memory/request-memory.ts'

/** Continuation bytes of a UTF-8 character. */
const MAX_CONTINUATION = 3
/** More than models get. */
const LONG_BYTES = 262_144 + MAX_CONTINUATION

const byteCount = (least: number) =>
  z.int('must be a whole number').min(least, `must be at least ${least}`).optional()

export const readFile = operation({
  name: 'read',
  route: 'POST /fs/read',
  tool: 'file_read',
  title: 'Read a file',
  description:
    'Reads a file, or the part of it from offset. While truncated is true, go on at offset + bytes.',
  scopes: ['files:read'],
  hints: READS_ONLY,
  forModels: { defaults: { length: 16_384 }, maxima: { length: 262_144 } },
  input: () =>
    z.strictObject({
      path: pathField(),
      encoding: encodingField(),
      offset: byteCount(0).describe('The first byte. Left out: 0.'),
      length: byteCount(1).describe('How many bytes; in utf-8, whole characters.'),
    }),
  output: () =>
    z.strictObject({
      content: z.string(),
      encoding: z.string(),
      bytes: z.int().describe('Of this content.'),
      offset: z.int().describe('Where in the file this content begins.'),
      total_bytes: z.int().describe('Of the whole file.'),
      truncated: z.boolean().describe('Whether the file goes on after this content.'),
    }),

  async run(ctx, input) {
    const { maxFileBytes, defaultEncoding } = ctx.service.config
    const { encoding = defaultEncoding, offset = 0, length = maxFileBytes } = input
    const files = await openCallerFiles(ctx)
    const path = files.parsePath(input.path)
    const wanted = Math.min(length, maxFileBytes)
    const range = { offset, length: wanted + MAX_CONTINUATION }
    const isPart = input.offset !== undefined || input.length !== undefined
    const hold = (bytes: number) =>
      ctx.memory?.holdFile(bytes, bytes > LONG_BYTES ? undefined : TEXT_COPIES)
    if (isPart) await hold(wanted)
    const refuse = (bytes: number) => tooLarge(path, bytes, maxFileBytes)
    const reading = isPart
      ? files.get(path, range)
      : files.getWhole(path, maxFileBytes, refuse, hold)
    const file = (await reading) ?? (await files.refuseMissing(path))

    const { start, end } = boundsOf(file.body, wanted, offset, encoding)
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
