/** Opens the file of a short link. */
import { AppError } from '../../errors.ts'
import { parsePath } from '../../files/path.ts'
import { lastWriteOf } from '../../files/store/marks.ts'
import type { ObjectInfo, PresignGetOptions } from '../../storage/driver.ts'
import { openFile, type OpenedFile } from '../open-file.ts'
import { openLinked, type LinkDeps } from './open-linked.ts'
import { toHex } from '../../lib/encode.ts'

/** Taken from the URL. */
export interface OpenLinkInput {
  readonly path: string
  readonly token: string
  readonly signal?: AbortSignal | undefined
}

type PresignOptions = Omit<PresignGetOptions, 'expiresAt'>

/** Existed when the link was opened; it may be gone by the time it is read. */
export interface LinkedFile extends OpenedFile {
  /** A presigned URL, if the link allows one; expires with the link or earlier. */
  presign(options: PresignOptions): Promise<string | undefined>
}

/** Long enough to seek around in a video; opening the link again creates a new one. */
const PRESIGNED_S = 3600

/**
 * Checks the link before querying the store: only its holder learns whether the file exists.
 *
 * @throws {AppError} `invalid_path`, `forbidden`, `rate_limited`, `not_found` or
 * `storage_unavailable`.
 */
export async function openLink(
  deps: LinkDeps,
  { path: raw, token, signal }: OpenLinkInput,
): Promise<LinkedFile> {
  const path = parsePath(raw, deps.paths)
  const linked = await openLinked(deps, { purpose: 'get', path, token, signal })
  const { files, expiresAt } = linked
  const pin = linked.terms && toHex(linked.terms)
  const file = await found(pin, () => openFile(files, path))
  if (!isVersion(pin, file.info)) throw missing(pin)
  return {
    ...file,
    stream: (range) =>
      found(pin, async () => {
        // It may have been replaced since.
        const content = await file.stream(range)
        if (isVersion(pin, content.info)) return content
        await content.body.cancel()
        throw missing(pin)
      }),
    async presign(options) {
      // A presigned URL cannot be pinned: the store would serve the current version.
      if (pin !== undefined) return undefined
      const end = Math.min(expiresAt.getTime(), deps.now().getTime() + PRESIGNED_S * 1000)
      const presigned = await files.presignGet(path, { ...options, expiresAt: new Date(end) })
      return presigned?.url
    },
  }
}

/** @param pin The only write whose content the link opens; absent for any. */
function isVersion(pin: string | undefined, info: ObjectInfo): boolean {
  return pin === undefined || lastWriteOf(info) === pin
}

/** The API's advice, such as to list the folder, is useless to a link's holder. */
async function found<T>(pin: string | undefined, request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    const isMissing =
      error instanceof AppError && (error.code === 'not_found' || error.code === 'conflict')
    if (!isMissing) throw error
    throw missing(pin, error)
  }
}

/** Hides whether a pinned version was replaced or removed: its creator may not read the new one. */
function missing(pin: string | undefined, cause?: unknown): AppError {
  const message =
    pin === undefined
      ? 'There is no file of this name. It may have been removed or renamed.'
      : 'The file this link was made for is gone: replaced, renamed or removed.'
  return new AppError('not_found', message, { cause })
}
