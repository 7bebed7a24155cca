/** Opens the file a short link stands for. */
import { AppError } from '../../errors.ts'
import { parsePath } from '../../files/path.ts'
import { lastWriteOf } from '../../files/write-id.ts'
import type { ObjectInfo, PresignGetOptions } from '../../storage/driver.ts'
import { openFile, type OpenedFile } from '../open-file.ts'
import { openLinked, type LinkDeps } from '../open-linked.ts'
import { toHex } from '../../lib/encode.ts'

/** A path and a token as they stand in the address. */
export interface OpenLinkInput {
  readonly path: string
  readonly token: string
  readonly signal?: AbortSignal | undefined
}

/** How the store is to send the file. */
type PresignOptions = Omit<PresignGetOptions, 'expiresAt'>

/** A file that was there when the link was opened. */
export interface LinkedFile extends OpenedFile {
  /** The store's own address of the file, if the link may lead there; ends with the link or earlier. */
  presign(options: PresignOptions): Promise<string | undefined>
}

/** Long enough to look around in a film; opening the link makes a new one each time. */
const PRESIGNED_S = 3600

/**
 * Checks the link before the store is asked: only its holder learns whether the file exists.
 *
 * @throws {AppError} `invalid_path`, `forbidden`, `rate_limited`, `not_found` or `storage_unavailable`.
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
        // Another version may have come since.
        const content = await file.stream(range)
        if (isVersion(pin, content.info)) return content
        await content.body.cancel()
        throw missing(pin)
      }),
    async presign(options) {
      // The store would send whatever is there by then.
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

/** Whoever holds a link knows no other names: what a caller of the API is told would not help. */
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

/** Does not tell whether a pinned version was replaced or removed: its maker may not read the other one. */
function missing(pin: string | undefined, cause?: unknown): AppError {
  const message =
    pin === undefined
      ? 'There is no file of this name. It may have been removed or renamed.'
      : 'The file this link was made for is gone: replaced, renamed or removed.'
  return new AppError('not_found', message, { cause })
}
