/** Copies and moves files and folders within the store. */
import * as z from 'zod'
import { AppError, InvalidPath } from '../../../errors.ts'
import { isFolderAddress } from '../../../links/file-link.ts'
import type { ObjectInfo } from '../../../storage/driver.ts'
import { openCallerFiles, quoted, type CallerFiles } from '../../caller-files.ts'
import { flagField, textField } from '../../fields.ts'
import { operation } from '../../operation.ts'
import type { RequestContext } from '../../service.ts'
import { MAX_READ_BYTES, transferFile } from './transfer-file.ts'
import { transferFolder, type Transferred } from './transfer-folder.ts'

const forModels = {
  input: () =>
    z.strictObject({
      from: textField().describe('A file or folder.'),
      to: textField().describe('Its new path.'),
      force: flagField(false).describe('Replaces files.'),
    }),
}

const input = () =>
  forModels
    .input()
    .extend({ if_match: textField().optional().describe('Replaces only the file with this etag.') })
    .refine((sent) => !sent.force || sent.if_match === undefined, {
      path: ['if_match'],
      message: 'cannot be combined with force',
    })

type Input = z.output<ReturnType<typeof input>>

export const copyPath = operation({
  name: 'copy',
  route: 'POST /fs/copy',
  tool: 'file_copy',
  title: 'Copy files',
  description: 'Copies a file, or a folder and everything in it.',
  scopes: ['files:write', 'files:read'],
  hints: { destructive: true, idempotent: true },
  input,
  forModels,
  output: () =>
    z.strictObject({
      path: z.string(),
      copied: z.int().describe('Number of files.'),
      bytes: z.int(),
    }),

  async run(ctx, sent) {
    const { path, files, bytes } = await transfer(ctx, sent, false)
    return { path, copied: files, bytes }
  },
})

export const movePath = operation({
  name: 'move',
  route: 'POST /fs/move',
  tool: 'file_move',
  title: 'Move files',
  description: 'Moves or renames a file or folder. If it stops halfway, repeat it.',
  scopes: ['files:write', 'files:read'],
  hints: { destructive: true, idempotent: false },
  input,
  forModels,
  output: () =>
    z.strictObject({
      path: z.string(),
      moved: z.int().describe('Number of files.'),
      bytes: z.int(),
    }),

  async run(ctx, sent) {
    const { path, files, bytes } = await transfer(ctx, sent, true)
    return { path, moved: files, bytes }
  },
})

async function transfer(
  ctx: RequestContext,
  sent: Input,
  isMove: boolean,
): Promise<Transferred & { readonly path: string }> {
  const files = await openCallerFiles(ctx)
  const from = files.parseAny(sent.from)
  const to = files.parseAny(sent.to)
  const source = await findSource(files, sent.from)
  if (source) return transferOne(ctx, files, source, sent, isMove)
  if (from === '' || to === '') {
    throw new InvalidPath('path is not valid: the root cannot be copied, moved or replaced')
  }
  if (to === from || to.startsWith(`${from}/`)) {
    const message = `to: is ${quoted(from)} itself or inside it. Choose a path outside of it.`
    throw new AppError('invalid_request', message)
  }
  if (sent.if_match !== undefined) {
    throw new AppError('invalid_request', 'if_match: is for files, and this is a folder')
  }
  await ctx.memory?.holdFile(MAX_READ_BYTES)
  const { force } = sent
  return { path: to, ...(await transferFolder(files, { from, to, isMove, force })) }
}

/** `null` for a folder. @throws {AppError} `not_found` */
async function findSource(files: CallerFiles, raw: string): Promise<ObjectInfo | null> {
  const path = files.parseAny(raw)
  if (path === '' || path === files.area.sharedDir) return null
  const file = isFolderAddress(raw) ? null : await files.head(path)
  if (file || (await files.holdsAny(path))) return file
  const message = `There is no file or folder ${quoted(path)}. Check the name.`
  throw new AppError('not_found', message)
}

async function transferOne(
  ctx: RequestContext,
  files: CallerFiles,
  { bytes }: ObjectInfo,
  { force, if_match: ifMatch, ...sent }: Input,
  isMove: boolean,
): Promise<Transferred & { readonly path: string }> {
  const from = files.parsePath(sent.from)
  const to = files.parsePath(sent.to)
  if (from === to) throw new AppError('invalid_request', 'to: is the same path as from')
  const condition =
    ifMatch === undefined ? (force ? {} : { ifNoneMatch: '*' as const }) : { ifMatch }
  await ctx.memory?.holdFile(Math.min(bytes, MAX_READ_BYTES))
  const changing = files.forChanges()
  const done = await transferFile(changing, { from, to, bytes, condition, isMove })
  return { path: to, files: 1, bytes: done ?? (await files.refuseMissing(from)) }
}
