/** Appends to a file; concurrent appends neither lose nor repeat anything. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { lastWriteOf } from '../../files/store/marks.ts'
import { openCallerFiles, quoted } from '../caller-files.ts'
import { encodingField, pathField, textField } from '../fields.ts'
import { linkMaker } from '../links/file-links.ts'
import { operation } from '../operation.ts'
import { bytesOf } from './file-encoding.ts'
import { assertSize } from './write-file.ts'

const textInput = () =>
  z.strictObject({
    path: pathField('logs/day.txt'),
    content: textField().describe('Including line endings.'),
  })

export const appendFile = operation({
  name: 'append',
  route: 'POST /fs/append',
  tool: 'file_append',
  title: 'Append',
  description: 'Adds text to the end of a file, or creates it.',
  scopes: ['files:write'],
  hints: { destructive: false, idempotent: false },
  // Models append text.
  forModels: { input: textInput },
  input: () => textInput().extend({ encoding: encodingField() }),
  output: () =>
    z.strictObject({
      path: z.string(),
      bytes: z.int().describe('Of the whole file.'),
      link: z.string().nullable(),
    }),

  async run(ctx, input) {
    const { maxFileBytes, defaultEncoding, limits } = ctx.service.config
    const files = await openCallerFiles(ctx)
    const path = files.parsePath(input.path)
    const body = bytesOf(input.content, input.encoding ?? defaultEncoding)
    assertSize(body.length, maxFileBytes)
    await files.assertWritable(path)
    const before = (await files.head(path))?.bytes ?? 0
    if (before + body.length > limits.residentBytes) throw tooLarge(path, limits.residentBytes)
    // The store has no append: the whole file is read and written again.
    await ctx.memory?.holdFile(before + body.length)
    const written = await files.append(path, body.length === 0 ? [] : [body])

    const mayRead = ctx.caller.scopes.has('files:read')
    const writeId = lastWriteOf(written)
    // Otherwise the link would show what others wrote.
    const isOwn = body.length > 0 && written.bytes === body.length && writeId !== undefined
    return {
      path,
      bytes: written.bytes,
      link: mayRead || isOwn ? await linkMaker(ctx, files.area).linkTo(path, writeId ?? '') : null,
    }
  },
})

function tooLarge(path: string, maxBytes: number): AppError {
  const message = `${quoted(path)} would have more than ${maxBytes} bytes, the limit for appending. Start another file.`
  return new AppError('too_large', message)
}
