/** Writes a file from text or encoded bytes. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { openCallerFiles } from '../caller-files.ts'
import { bytesOf } from './file-encoding.ts'
import { linkMaker } from '../links/file-links.ts'
import { encodingField, pathField } from '../fields.ts'
import { operation } from '../operation.ts'

export const writeFile = operation({
  name: 'write',
  route: 'POST /fs/write',
  tool: 'file_write',
  title: 'Write a file',
  description:
    'Creates a file or replaces all of it; creates missing folders. output/ is for people, share/ for the team. Returns a link.',
  scopes: ['files:write'],
  hints: { destructive: true, idempotent: true },
  input: () =>
    z.strictObject({
      path: pathField(),
      content: z.string('must be a string').describe('The whole file.'),
      encoding: encodingField(),
      force: z
        .boolean('must be true or false')
        .default(true)
        .describe('false refuses to overwrite.'),
    }),
  output: () =>
    z.strictObject({
      path: z.string(),
      bytes: z.int(),
      link: z.string().describe('Opens without a token. Without files:read: this version only.'),
    }),

  async run(ctx, input) {
    const { maxFileBytes, defaultEncoding } = ctx.service.config
    const files = await openCallerFiles(ctx)
    const path = files.parsePath(input.path)
    const body = bytesOf(input.content, input.encoding ?? defaultEncoding)
    assertSize(body.length, maxFileBytes)
    const condition = input.force ? {} : { ifNoneMatch: '*' as const }
    const { bytes, writeId } = await files.put(path, body, condition)
    return { path, bytes, link: await linkMaker(ctx, files.area).linkTo(path, writeId) }
  },
})

/** @throws {AppError} `too_large` */
export function assertSize(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return
  const message = `The file would have ${bytes} bytes, more than the ${maxBytes} that are allowed. Split it, or write it from a script.`
  throw new AppError('too_large', message)
}
