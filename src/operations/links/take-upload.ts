/** Stores an upload through a link: one object, within the link's terms, or nothing. */
import { AppError } from '../../errors.ts'
import type { PathRules, VirtualPath } from '../../files/path.ts'
import type { AreaStore } from '../../files/store/area-store.ts'
import type { UploadTerms } from '../../links/upload-terms.ts'
import { untilAborted } from '../../lib/abort.ts'
import type { CallerFiles } from '../caller-files.ts'
import { storeFailure } from '../store-failure.ts'
import { putOnce, UnclearUpload } from './put-once.ts'
import type { usedLinks } from './used-links.ts'

/** A file on its way, and what its sender says about it. */
export interface UploadedFile {
  /** Only counts for a link to a folder. */
  readonly name?: string | undefined
  readonly contentType?: string | undefined
  /** As announced; a body of unknown length is buffered in memory. */
  readonly bytes?: number | undefined
  readonly body: ReadableStream<Uint8Array>
  /** Hex; the same for each try of one upload to a folder, which is stored once. */
  readonly upload?: string | undefined
}

export interface StoredUpload {
  readonly path: VirtualPath
  readonly bytes: number
  /** Set if an earlier try stored it. */
  readonly isRepeated?: true
}

/** A verified upload link, and what it gives access to. */
export interface OpenedUpload {
  readonly files: CallerFiles
  readonly terms: UploadTerms
  /** Where the link's use is recorded. */
  readonly store: AreaStore
  readonly used: ReturnType<typeof usedLinks>
  readonly expiresAt: Date
  readonly rules: PathRules
  readonly signal: AbortSignal
  readonly logFault: (fault: unknown) => void
}

/** A body of unknown length is buffered in memory. */
export const MAX_UNMEASURED_BYTES = 8 * 1024 * 1024

const ADVICE =
  'This link counts as used: look for the file, and request another link if it is missing.'

/** @throws {AppError} `conflict` for a used link, `too_large` … */
export async function takeUpload(
  { files, terms, used, signal, logFault }: OpenedUpload,
  path: VirtualPath,
  { bytes, body }: UploadedFile,
): Promise<StoredUpload> {
  if (await untilGone(signal, used.isUsed)) throw alreadyUsed()
  const isMeasured = bytes !== undefined
  const maxBytes = isMeasured ? terms.maxBytes : Math.min(terms.maxBytes, MAX_UNMEASURED_BYTES)
  let isClaimed = false
  const claim = async () => {
    if (!(await used.claim())) throw alreadyUsed()
    isClaimed = true
  }
  try {
    const how = { body, bytes, maxBytes, claim, signal, advice: ADVICE }
    const stored = await putOnce(files, path, how)
    return { path, bytes: stored.bytes }
  } catch (error) {
    if (isClaimed && !(error instanceof UnclearUpload)) await used.release().catch(logFault)
    const isTooLarge = error instanceof AppError && error.code === 'too_large'
    throw isTooLarge && maxBytes < terms.maxBytes ? needsLength(terms) : error
  }
}

export function needsLength({ maxBytes }: UploadTerms): AppError {
  const message =
    `Without a Content-Length, at most ${MAX_UNMEASURED_BYTES} bytes are accepted. ` +
    `Send one: then this link accepts up to ${maxBytes} bytes.`
  return new AppError('too_large', message)
}

export function alreadyUsed(): AppError {
  return new AppError(
    'conflict',
    'This link has been used: it accepts one upload. Request another.',
  )
}

/** Nobody waits for the answer of a store that does not come once the sender is gone. */
async function untilGone<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  try {
    return await untilAborted(signal, ask)
  } catch (error) {
    throw storeFailure(error)
  }
}
