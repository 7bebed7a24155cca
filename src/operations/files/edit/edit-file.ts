/** Replaces exact text inside a file. */
import * as z from 'zod'
import { AppError } from '../../../errors.ts'
import { openCallerFiles, quoted } from '../../caller-files.ts'
import { pathField } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { readUtf8 } from '../read-utf8.ts'
import { countBytes, needleOf, replaceBytes } from './replace-bytes.ts'
import { assertSize } from '../write-file.ts'

/** The search table takes four bytes per byte. */
const MAX_OLD_LENGTH = 1024 * 1024

const encoder = new TextEncoder()

// A lone surrogate would be encoded as U+FFFD.
const isWhole = (text: string) => !/\p{Cs}/u.test(text)
const HALF = 'must not hold half a surrogate pair'

export const editFile = operation({
  name: 'edit',
  route: 'POST /fs/edit',
  tool: 'file_edit',
  title: 'Edit a file',
  description:
    'Replaces text in a UTF-8 file. old must match the file exactly and occur once: add lines around it until it does, or set all.',
  // Whether a text is found reveals what the file contains.
  scopes: ['files:write', 'files:read'],
  hints: { destructive: true, idempotent: false },
  input: () =>
    z
      .strictObject({
        path: pathField(),
        old: z
          .string('must be a string')
          .min(1, 'must not be empty')
          .max(MAX_OLD_LENGTH, `must have at most ${MAX_OLD_LENGTH} characters`)
          .refine(isWhole, HALF)
          .describe('The text to replace.'),
        new: z
          .string('must be a string')
          .refine(isWhole, HALF)
          .describe('The replacement; "" deletes it.'),
        all: z
          .boolean('must be true or false')
          .default(false)
          .describe('Replaces every occurrence.'),
      })
      .refine((input) => input.old !== input.new, {
        path: ['new'],
        message: 'is the same as old, so there is nothing to change',
      }),
  output: () => z.strictObject({ path: z.string(), replacements: z.int(), bytes: z.int() }),

  async run(ctx, input) {
    const { maxFileBytes } = ctx.service.config
    const files = await openCallerFiles(ctx)
    const path = files.parsePath(input.path)
    const { body, etag } = (await readUtf8(ctx, files, path)) ?? (await files.refuseMissing(path))

    // UTF-8 is self-synchronizing: the bytes match only where the text does.
    const needle = needleOf(encoder.encode(input.old))
    const replacement = encoder.encode(input.new)
    // Overlapping matches are ambiguous too.
    const count = countBytes(body, needle, !input.all)
    if (count === 0) {
      const message = `The text to replace is not in ${quoted(path)}. Read the file and copy it exactly, including spaces and line endings.`
      throw new AppError('conflict', message)
    }
    if (count > 1 && !input.all) {
      const message = `The text to replace occurs more than once in ${quoted(path)}. Add text around it until it is unique, or set all.`
      throw new AppError('conflict', message)
    }
    // Check before allocating the result.
    const grownBy = count * (replacement.length - needle.bytes.length)
    assertSize(body.length + grownBy, maxFileBytes)
    const edited = replaceBytes(body, needle, replacement, count)
    const { bytes } = await files.put(path, edited, { ifMatch: etag })
    return { path, replacements: count, bytes }
  },
})
