/** Stores the body of an upload that may be stored once: within its limits, or nothing. */
import { AppError } from '../../errors.ts'
import type { VirtualPath } from '../../files/path.ts'
import { withholdLastChunk } from '../../lib/streams/withhold-last-chunk.ts'
import type { CallerFiles, PutStreamInput } from '../caller-files.ts'

/** The store gave no answer: the file may be there. */
export class UnclearUpload extends AppError {
  /** @param advice What to do about it. */
  constructor(advice: string, cause?: unknown) {
    super('storage_unavailable', `It is not known whether the file was stored. ${advice}`, {
      cause,
    })
  }
}

interface OnceInput extends PutStreamInput {
  readonly body: ReadableStream<Uint8Array>
  /** The right to store it; a rejection is the outcome of the upload. */
  readonly claim: () => Promise<void>
  /** Aborts when the client disconnects: what has not arrived by then never will. */
  readonly signal: AbortSignal
  /** For somebody who does not know whether it was. */
  readonly advice: string
}

/**
 * Claims when the whole body has arrived, before the store gets the last chunk: a failure before
 * that claims nothing, and only one of several concurrent uploads can complete.
 *
 * @throws {UnclearUpload} or another {@link AppError}; then nothing was stored.
 */
export async function putOnce(files: CallerFiles, path: VirtualPath, input: OnceInput) {
  const { body, claim, signal, advice, ...how } = input
  let claiming: Promise<void> | undefined
  let isOver = false
  const held = withholdLastChunk(body, signal, async () => {
    // The store may fail while the body still arrives: then do not claim.
    if (isOver) throw new Error('the upload has failed')
    claiming = claim()
    await claiming
  })
  try {
    return await files.putStream(path, held, how)
  } catch (error) {
    isOver = true
    if (!claiming) throw error
    const refusal = await claiming.then(
      () => undefined,
      (fault: unknown) => fault,
    )
    if (refusal !== undefined) throw refusal
    throw isDefinite(error) ? error : new UnclearUpload(advice, error)
  }
}

/** Whether certainly nothing was stored: a request without a response may have succeeded. */
function isDefinite(error: unknown): boolean {
  return error instanceof AppError && error.code !== 'storage_unavailable'
}
