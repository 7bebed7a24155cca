/** Applies a unified diff: checks all of it, then stores it, and rolls back if that fails. */
import * as z from 'zod'
import { AppError } from '../../../errors.ts'
import type { VirtualPath } from '../../../files/path.ts'
import { applyHunks, MAX_SEARCHED, type SearchBudget } from './apply-hunks.ts'
import { openCallerFiles, quoted, type CallerFiles } from '../../caller-files.ts'
import { operation } from '../../operation.ts'
import { parsePatch, type FilePatch } from './parse-patch.ts'
import { readUtf8, type Utf8File } from '../read-utf8.ts'
import type { RequestContext } from '../../service.ts'
import { storeChanges, type FileChange } from './store-patched.ts'
import { assertSize } from '../write-file.ts'

/** Far more than a readable diff; parsing takes many times its size in memory. */
const MAX_PATCH_LENGTH = 2 * 1024 * 1024

export const applyPatch = operation({
  name: 'patch',
  route: 'POST /fs/patch',
  tool: 'apply_patch',
  title: 'Apply a patch',
  description:
    'Applies a unified diff to one or more UTF-8 files. "--- /dev/null" creates a file, "+++ /dev/null" deletes one. Either every hunk applies, or nothing is changed.',
  // Whether a patch applies reveals what the file contains.
  scopes: ['files:write', 'files:read'],
  hints: { destructive: true, idempotent: false },
  input: () =>
    z.strictObject({
      patch: z
        .string('must be a string')
        .max(MAX_PATCH_LENGTH, `must have at most ${MAX_PATCH_LENGTH} characters; send it in parts`)
        .describe('As git diff writes it.'),
    }),
  output: () =>
    z.strictObject({
      files: z.array(
        z.strictObject({
          path: z.string(),
          change: z.enum(['created', 'changed', 'deleted']),
          bytes: z.int().describe('Of the file as it is now; 0 for a deleted one.'),
        }),
      ),
    }),

  async run(ctx, input) {
    const files = await openCallerFiles(ctx)
    const patches = parsePatch(input.patch).map((patch) => ({
      ...patch,
      path: pathOf(files, patch),
    }))
    const drafts = await readAll(ctx, files, patches)
    const budget = { left: MAX_SEARCHED }
    for (const patch of patches) draftPatch(drafts.get(patch.path)!, patch, budget)

    const changes = [...drafts.values()].flatMap(changeOf)
    for (const { after } of changes) assertSize(after?.length ?? 0, ctx.service.config.maxFileBytes)
    await storeChanges(files, changes)
    return {
      files: changes.map((change) => ({
        path: change.path,
        change: kindOf(change),
        bytes: change.after?.length ?? 0,
      })),
    }
  },
})

/** A file while the patch is applied in memory. */
interface Draft {
  readonly path: VirtualPath
  readonly before: Utf8File | null
  body: Uint8Array | null
  hunksTried: number
}

type PatchOfPath = FilePatch & { readonly path: VirtualPath }

function pathOf(files: CallerFiles, { oldPath, newPath }: FilePatch): VirtualPath {
  const path = files.parsePath(newPath ?? oldPath ?? '')
  if (oldPath !== null && files.parsePath(oldPath) !== path) {
    const message = `patch: renames ${quoted(oldPath)} to ${quoted(path)}, which is not supported. Create the new file and delete the old one.`
    throw new AppError('invalid_request', message)
  }
  return path
}

/** Sequential: the files must fit into memory together. */
async function readAll(
  ctx: RequestContext,
  files: CallerFiles,
  patches: readonly PatchOfPath[],
): Promise<Map<VirtualPath, Draft>> {
  const { maxFileBytes: maxBytes } = ctx.service.config
  const drafts = new Map<VirtualPath, Draft>()
  let bytes = 0
  for (const { path } of patches) {
    if (drafts.has(path)) continue
    const before = await readUtf8(ctx, files, path)
    bytes += before?.body.length ?? 0
    if (bytes > maxBytes) {
      const message = `The files of the patch have more than ${maxBytes} bytes in all. Send it in parts.`
      throw new AppError('too_large', message)
    }
    drafts.set(path, { path, before, body: before?.body ?? null, hunksTried: 0 })
  }
  return drafts
}

function draftPatch(
  draft: Draft,
  { oldPath, newPath, hunks, path }: PatchOfPath,
  budget: SearchBudget,
): void {
  const name = quoted(path)
  if (oldPath === null && draft.body !== null) {
    throw new AppError('conflict', `${name} already exists, but the patch creates it. ${UNCHANGED}`)
  }
  if (oldPath !== null && draft.body === null) {
    throw new AppError('not_found', `There is no file ${name} to patch. ${UNCHANGED}`)
  }
  const applied = applyHunks(draft.body ?? new Uint8Array(), hunks, budget)
  if (!('body' in applied)) {
    const number = draft.hunksTried + applied.failedHunk
    const message = `Hunk ${number} of ${name} does not apply: its old lines are not in the file. ${UNCHANGED} Read the file and create the patch again.`
    throw new AppError('conflict', message)
  }
  if (newPath === null && applied.body.length > 0) {
    const message = `The patch deletes ${name}, but does not have all of its lines. ${UNCHANGED}`
    throw new AppError('conflict', message)
  }
  draft.body = newPath === null ? null : applied.body
  draft.hunksTried += hunks.length
}

const UNCHANGED = 'Nothing was changed.'

function kindOf({ before, after }: FileChange): 'created' | 'changed' | 'deleted' {
  if (!after) return 'deleted'
  return before ? 'changed' : 'created'
}

/** Empty for a file that the patch both creates and deletes. */
function changeOf({ path, before, body: after }: Draft): FileChange[] {
  return before || after ? [{ path, before, after }] : []
}
