/**
 * Stores an upload through a link to a folder: a new file, within the link's totals, or nothing.
 */
import { AppError, RetryLater } from '../../errors.ts'
import { cleanName, droppedPath } from '../../files/dropped-name.ts'
import type { FolderPath, VirtualPath } from '../../files/path.ts'
import { lastWriteOf } from '../../files/store/marks.ts'
import { measureStream } from '../../lib/streams/measure-stream.ts'
import { PreconditionFailed } from '../../storage/driver.ts'
import { UnclearWrite } from '../caller-files.ts'
import { LinkTotals } from './link-totals.ts'
import { putOnce, UnclearUpload } from './put-once.ts'
import {
  MAX_UNMEASURED_BYTES,
  needsLength,
  type OpenedUpload,
  type StoredUpload,
  type UploadedFile,
} from './take-upload.ts'
import { nameOf } from './used-links.ts'

/** Bodies up to this size reach a Worker on every Cloudflare plan, given a Content-Length. */
export const MAX_UPLOAD_BYTES = 100 * 1000 * 1000
/** More files of one name are refused. */
const MAX_NUMBER = 2 ** 14
const RETRY_S = 1

const ADVICE = 'It counts for this link: look for the file before it is sent again.'

/**
 * @throws {AppError} `invalid_path`, `conflict` or `too_large` if the totals are passed, `busy` …
 */
export async function takeIntoFolder(
  link: OpenedUpload,
  folder: FolderPath,
  file: UploadedFile,
): Promise<StoredUpload> {
  const { files, terms, signal, logFault } = link
  const pathOf = namesFor(link, folder, file.name)
  const totals = totalsOf(link)
  const { upload } = file
  const earlier = upload && (await totals.receiptOf(upload))
  if (earlier) return storedBefore(link, earlier.path, file)

  const { bytes, stream } = await measured(file)
  if (bytes === undefined) throw needsLength(terms)
  if (bytes > MAX_UPLOAD_BYTES) throw tooLarge()
  const mark = await totals.take(bytes)
  let hasReceipt = false
  try {
    const path = await firstFree(files, pathOf)
    const claim = async () => {
      await totals.settle(mark)
      hasReceipt = upload !== undefined
      if (upload) await totals.giveReceipt(upload, { path })
    }
    const how = { bytes, maxBytes: bytes, ifNoneMatch: '*', claim, signal } as const
    const stored = await putOnce(files, path, { body: stream, ...how, advice: ADVICE })
    return { path, bytes: stored.bytes }
  } catch (error) {
    if (mayBeStored(error)) throw error
    // Not that of another try.
    if (hasReceipt && !(error instanceof RetryLater))
      await totals.takeBackReceipt(upload!).catch(logFault)
    await totals.withdraw(mark).catch(logFault)
    if (isTaken(error)) throw takenMeanwhile(error)
    throw error instanceof UnclearUpload ? error.cause : error
  }
}

/**
 * Paths for a file by number, of which the first free one is taken.
 *
 * @throws {AppError} at once for a bad name, before anything is counted.
 */
export function namesFor(
  { rules }: OpenedUpload,
  folder: FolderPath,
  raw: string | undefined,
): (number: number) => VirtualPath {
  if (raw === undefined) throw nameless()
  const name = cleanName(raw)
  const pathOf = (number: number) => droppedPath(folder, name, number, rules)
  pathOf(1)
  return pathOf
}

export function totalsOf({ files, store, terms, expiresAt, signal }: OpenedUpload): LinkTotals {
  return new LinkTotals({
    store,
    name: nameOf({ nonce: terms.nonce, expiresAt }),
    maxBytes: terms.maxBytes,
    maxFiles: terms.maxFiles ?? 1,
    signal,
    async isStored(path, writeId) {
      const info = await files.head(path)
      return info !== null && lastWriteOf(info) === writeId
    },
  })
}

async function measured({ bytes, body }: UploadedFile) {
  if (bytes !== undefined) return { bytes, stream: body }
  return measureStream(body, MAX_UNMEASURED_BYTES).catch((cause: unknown) => {
    throw new AppError('malformed', 'The body ended before all of it was sent.', { cause })
  })
}

/** @throws {UnclearUpload} if it is not there (yet). */
async function storedBefore(
  { files }: OpenedUpload,
  path: VirtualPath,
  { body }: UploadedFile,
): Promise<StoredUpload> {
  const info = await files.head(path)
  if (!info) throw new UnclearUpload(ADVICE)
  // Browsers take an answer before the end of their body for a broken connection.
  await body.pipeTo(new WritableStream())
  return { path, bytes: info.bytes, isRepeated: true }
}

/** By halving: the thousandth file of one name must not ask for all before it. */
export async function firstFree(
  files: OpenedUpload['files'],
  pathOf: (number: number) => VirtualPath,
): Promise<VirtualPath> {
  const isFree = async (number: number) => (await files.typeOf(pathOf(number))) === null
  let taken = 0
  let free = 1
  while (!(await isFree(free))) {
    if (free >= MAX_NUMBER) throw new AppError('conflict', 'Too many files have this name.')
    taken = free
    free *= 2
  }
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2)
    if (await isFree(middle)) free = middle
    else taken = middle
  }
  return pathOf(free)
}

/** Otherwise the store was asked afterwards, and did not have it. */
function mayBeStored(error: unknown): boolean {
  const { cause } = error instanceof UnclearUpload ? error : {}
  return error instanceof UnclearUpload && !(cause instanceof UnclearWrite && !cause.mayBeStored)
}

function isTaken(error: unknown): boolean {
  return error instanceof AppError && error.cause instanceof PreconditionFailed
}

function takenMeanwhile(cause: unknown): AppError {
  const message = 'Another file took this name meanwhile. Send this one again.'
  const error = new RetryLater('conflict', message, RETRY_S)
  error.cause = cause
  return error
}

function nameless(): AppError {
  const message = 'This link leads to a folder: add &name= and the name of the file to the address.'
  return new AppError('malformed', message)
}

function tooLarge(): AppError {
  return new AppError('too_large', `A file may have at most ${MAX_UPLOAD_BYTES} bytes.`)
}
