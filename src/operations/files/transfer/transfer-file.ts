/** Copies or moves one file: the source is deleted only in the version that was copied. */
import { AppError } from '../../../errors.ts'
import type { VirtualPath } from '../../../files/path.ts'
import { isBuiltOn, lastWriteOf } from '../../../files/store/marks.ts'
import type { WriteCondition } from '../../../files/store/tracked-write.ts'
import { PreconditionFailed, type ObjectInfo } from '../../../storage/driver.ts'
import { conflictOf, quoted, type CallerFiles } from '../../caller-files.ts'

/** Larger files are copied within the store, where the target's condition is only checked first. */
export const MAX_READ_BYTES = 8 * 1024 * 1024

/** A source that changes faster than it can be copied. */
const MAX_ROUNDS = 10

export interface FileTransfer {
  readonly from: VirtualPath
  readonly to: VirtualPath
  /** Size of the source, as far as known. */
  readonly bytes: number
  /** On the target. */
  readonly condition: WriteCondition
  readonly isMove: boolean
  /** Whether the target is known to be neither a folder nor below a file. */
  readonly hasRoom?: boolean
}

interface CopiedFile {
  /** The version that was copied. */
  readonly source: ObjectInfo
  /** Of the target. */
  readonly etag: string
}

/**
 * Resolves to the size of the target; `null` if there is no source.
 *
 * @throws {AppError} `conflict` if the target exists, or if source or target keep changing.
 */
export async function transferFile(
  files: CallerFiles,
  transfer: FileTransfer,
): Promise<number | null> {
  const copied = await copyFile(files, transfer)
  if (!copied) return null
  const { bytes } = transfer.isMove ? await removeSource(files, transfer, copied) : copied.source
  return bytes
}

/** Resolves to the version that was moved in the end. */
async function removeSource(
  files: CallerFiles,
  transfer: FileTransfer,
  first: CopiedFile,
): Promise<ObjectInfo> {
  let copied = first
  for (let round = 1; ; round++) {
    if (await files.removeVersion(transfer.from, copied.source.etag)) return copied.source
    if (round === MAX_ROUNDS) return giveUp(files, transfer, copied)
    // Appended to or replaced meanwhile: only the own copy may be replaced by the newer version.
    const again = await copyFile(files, { ...transfer, condition: { ifMatch: copied.etag } })
    if (!again) return copied.source
    copied = again
  }
}

/** `null` if there is no source. */
async function copyFile(files: CallerFiles, transfer: FileTransfer): Promise<CopiedFile | null> {
  const { from, to, bytes, condition, isMove } = transfer
  try {
    return bytes > MAX_READ_BYTES
      ? await copyWithin(files, transfer)
      : await copyBytes(files, transfer)
  } catch (error) {
    const isTaken = error instanceof AppError && error.cause instanceof PreconditionFailed
    if (!isTaken || condition.ifNoneMatch === undefined) throw error
    // Left by a transfer that was cut off: it goes on instead of failing.
    const [source, target] = await Promise.all([files.head(from), files.head(to)])
    if (!source || !target || !holds(target, source, isMove)) throw error
    return { source, etag: target.etag }
  }
}

/** Whether the target is a copy of this version; for a move also if it was appended to since. */
export function holds(target: ObjectInfo, source: ObjectInfo, isMove: boolean): boolean {
  return isBuiltOn(target, source.metadata) && (isMove || target.bytes === source.bytes)
}

async function copyBytes(
  files: CallerFiles,
  { from, to, condition, hasRoom }: FileTransfer,
): Promise<CopiedFile | null> {
  const source = await files.getWhole(from, MAX_READ_BYTES, () => changed(from))
  if (!source) return null
  const { body, metadata: before, ...info } = source
  const { etag } = await files.put(to, body, { ...condition, before, hasRoom })
  return { source: { ...info, metadata: before }, etag }
}

/** Never through memory. */
async function copyWithin(
  files: CallerFiles,
  { from, to, condition, hasRoom }: FileTransfer,
): Promise<CopiedFile | null> {
  if (!hasRoom) await files.assertWritable(to)
  const [source, before] = await Promise.all([files.head(from), files.head(to)])
  assertMet(to, condition, before)
  if (!source || !(await files.copy(from, to))) return null
  const target = await files.head(to)
  const isSame = target?.bytes === source.bytes && lastWriteOf(target) === lastWriteOf(source)
  if (!isSame) throw changed(from)
  return { source, etag: target.etag }
}

function assertMet(path: VirtualPath, condition: WriteCondition, current: ObjectInfo | null): void {
  const { ifMatch, ifNoneMatch } = condition
  const isMet = ifMatch === undefined ? !ifNoneMatch || !current : current?.etag === ifMatch
  if (!isMet) throw conflictOf({ path, condition }, new PreconditionFailed())
}

/** The source stays, and what was there before the copy is restored if it was nothing. */
async function giveUp(
  files: CallerFiles,
  { from, to, condition }: FileTransfer,
  { etag }: CopiedFile,
): Promise<never> {
  if (condition.ifNoneMatch !== undefined) await files.removeVersion(to, etag)
  const message = `${quoted(from)} keeps changing, so it was not moved. Try again later.`
  throw new AppError('conflict', message)
}

function changed(path: VirtualPath): AppError {
  return conflictOf({ path, condition: { ifMatch: '' } })
}
