/** Replaces exact text inside a file. */
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { openCallerFiles, quoted } from './caller-files.ts'
import { defineOperation, pathField } from './operation.ts'
import { readText } from './read-text.ts'
import { assertSize } from './write-file.ts'

export const editFile = defineOperation({
  name: 'edit',
  tool: 'file_edit',
  title: 'Edit a file',
  description:
    'Replaces text in a UTF-8 file. old must be exactly as in the file, blanks and line ends included, and occur once; add lines around it until it does, or set all.',
  scope: 'files:write',
  isDestructive: true,
  isIdempotent: false,
  input: z
    .strictObject({
      path: pathField,
      old: z
        .string('must be a string')
        .min(1, 'must not be empty')
        .describe('The text to replace.'),
      new: z.string('must be a string').describe('What comes in its place; "" deletes it.'),
      all: z.boolean('must be true or false').default(false).describe('Replaces every occurrence.'),
    })
    .refine((input) => input.old !== input.new, {
      path: ['new'],
      message: 'is the same as old, so there is nothing to change',
    }),
  output: z.strictObject({ path: z.string(), replacements: z.int(), bytes: z.int() }),

  async run(ctx, input) {
    const { maxFileBytes } = ctx.service.config
    const files = await openCallerFiles(ctx)
    const path = files.parsePath(input.path)
    const { text, etag } =
      (await readText(files, path, maxFileBytes)) ?? (await files.refuseMissing(path))

    const first = text.indexOf(input.old)
    if (first === -1) {
      const message = `The text to replace is not in ${quoted(path)}. Read the file and copy it exactly, blanks and line ends included.`
      throw new AppError('conflict', message)
    }
    // From the next character on: places that overlap are ambiguous too.
    if (!input.all && text.includes(input.old, first + 1)) {
      const message = `The text to replace occurs more than once in ${quoted(path)}. Add text around it until it is unique, or set all.`
      throw new AppError('conflict', message)
    }
    const parts = text.split(input.old)
    const body = new TextEncoder().encode(parts.join(input.new))
    assertSize(body.length, maxFileBytes)
    const { bytes } = await files.put(path, body, { ifMatch: etag })
    return { path, replacements: parts.length - 1, bytes }
  },
})
