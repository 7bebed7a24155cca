/** Lets the store itself take an upload to a folder, where bodies are too limited to pass here. */
import { AppError, RetryLater } from '../../errors.ts'
import { contentTypeOf } from '../../files/content-type.ts'
import { droppedPath } from '../../files/dropped-name.ts'
import type { FolderPath, VirtualPath } from '../../files/path.ts'
import { markWrite } from '../../files/store/marks.ts'
import type { Service } from '../service.ts'
import type { UsageOwner } from '../usage/open-usage.ts'
import { SLOW_UPLOAD_MS, takeRoom } from '../usage/take-room.ts'
import { UnclearUpload } from './put-once.ts'
import { firstFree, namesFor, totalsOf } from './take-into-folder.ts'
import type { OpenedUpload, StoredUpload } from './take-upload.ts'

/** Of a presigned URL, whose upload may take longer. */
const PRESIGNED_MS = 15 * 60_000
/** Of a single PUT. */
const MAX_BYTES = 5 * 1000 * 1000 * 1000
/** Enough to begin an upload. */
const MIN_LEFT_MS = 5_000

/** What a browser says about a file before it sends it. */
export interface AnnouncedFile {
  readonly name?: string | undefined
  readonly contentType?: string | undefined
  readonly bytes: number
  /** Hex; the same for each try. */
  readonly upload: string
}

/** A request that the store takes once, with exactly this length, and only to create the file. */
export interface PresignedUpload {
  readonly path: VirtualPath
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether this is the first try. */
  readonly isNew: boolean
}

interface PresigningLink extends OpenedUpload {
  readonly service: Pick<Service, 'config' | 'storage' | 'now'>
  readonly quotas: UsageOwner
}

/** @throws {AppError} as an upload that passes here. */
export async function presignIntoFolder(
  link: PresigningLink,
  folder: FolderPath,
  { name, bytes, upload }: AnnouncedFile,
): Promise<StoredUpload | PresignedUpload> {
  const { files, service, logFault } = link
  const pathOf = namesFor(link, folder, name)
  if (bytes > MAX_BYTES) {
    throw new AppError('too_large', `A file may have at most ${MAX_BYTES} bytes.`)
  }
  const totals = totalsOf(link)
  const earlier = await totals.receiptOf(upload)
  if (earlier) {
    const { path, writeId = '', at } = earlier
    const info = await files.head(path)
    if (!info && !writeId) throw new UnclearUpload('Look for the file before it is sent again.')
    if (!info) return presign(link, path, bytes, writeId, at)
    if (!writeId || (await totals.isStored(path, writeId))) {
      return { path, bytes: info.bytes, isRepeated: true }
    }
    // Another file has the name: this upload begins anew.
    await totals.takeBackReceipt(upload)
  }
  const mark = await totals.take(bytes, PRESIGNED_MS + SLOW_UPLOAD_MS)
  let isGiving = false
  try {
    const path = await firstFree(files, pathOf)
    await files.assertWritable(path)
    const expiresAt = new Date(service.now().getTime() + PRESIGNED_MS)
    await takeRoom(service, link.quotas, { bytes, expiresAt })
    const receipt = await totals.promise(mark, path)
    const presigned = await presign(link, path, bytes, receipt.writeId!, service.now())
    isGiving = true
    await totals.giveReceipt(upload, receipt)
    return { ...presigned, isNew: true }
  } catch (error) {
    // With a receipt, if it was stored, the next try would not count.
    const mayBeGiven = isGiving && !(error instanceof RetryLater)
    if (!mayBeGiven) await totals.withdraw(mark).catch(logFault)
    throw error
  }
}

/** Never later than the mark of the upload counts. */
async function presign(
  { files, service, expiresAt: linkEnd }: PresigningLink,
  path: VirtualPath,
  bytes: number,
  writeId: string,
  startedAt: Date,
): Promise<PresignedUpload> {
  const now = service.now().getTime()
  const end = Math.min(
    startedAt.getTime() + PRESIGNED_MS,
    now + service.config.urlTtlS * 1000,
    linkEnd.getTime(),
  )
  const presigned =
    end - now < MIN_LEFT_MS
      ? undefined
      : await files.presignPut(path, {
          bytes,
          expiresAt: new Date(end),
          contentType: contentTypeOf(path),
          ifNoneMatch: '*',
          metadata: markWrite(writeId),
        })
  if (!presigned) {
    throw new AppError('conflict', 'The upload took too long. Choose the file again.')
  }
  return { path, url: presigned.url, headers: presigned.headers, isNew: false }
}

/** Pages may connect to it. */
export async function storeOrigin(
  { files, rules, expiresAt }: OpenedUpload,
  folder: FolderPath,
): Promise<string> {
  const path = droppedPath(folder, 'file', 1, rules)
  const presigned = await files.presignPut(path, { bytes: 1, expiresAt })
  return new URL(presigned!.url).origin
}
