/** Puts one revision of a file with a mark, and finds out afterwards whether a put without an answer got through. */
import type { ObjectInfo, PutOptions, StorageDriver } from '../storage/driver.ts'
import { PreconditionFailed } from '../storage/driver.ts'
import { AttemptTimedOut, isTransient } from '../storage/is-transient.ts'
import { byteLengthOf } from '../storage/object-body.ts'
import type { FileBase, Revision } from './file-node.ts'
import { pendingTombstone, TOMBSTONE_MS } from './tombstone.ts'
import { untilAborted } from '../lib/abort.ts'
import { holdsOneOf, isLastOneOf, markWrite, newWriteId } from './write-id.ts'

/** For asking what became of a put, when the time for storing is over. */
export const LAST_LOOK_MS = 2_000

/** Where one file goes. */
export interface StoreTarget {
  readonly storage: StorageDriver
  readonly key: string
  readonly contentType: string
  readonly signal: AbortSignal
}

/** What the store has of the file now. */
export interface Stored {
  readonly object: FileBase
  /** Whether it holds what the run has of the file, and nothing of others. */
  readonly isOurs: boolean
}

/** An object that is there, with its bytes. */
export interface Held {
  readonly object: FileBase & { readonly etag: string }
  readonly chunks: readonly Uint8Array[]
}

/** The store was told to take it and did not answer; it may have, or may still do so. */
export class MayBeStored extends Error {
  constructor(cause: unknown) {
    super('the store gave no answer, and may have stored the file', { cause })
    this.name = 'MayBeStored'
  }
}

/** What is sent. */
export interface MarkedBody {
  /** Without what was appended. */
  readonly base: readonly Uint8Array[]
  readonly condition: PutOptions
  /** The marks of what is only added to. */
  readonly before?: FileBase['metadata'] | undefined
  /** Whether the base is what the run has of it. */
  readonly isOurs: boolean
}

/** All tries of one revision. */
export class MarkedUpload {
  readonly #target: StoreTarget
  readonly #revision: Revision
  /** The last that was sent and may have got through. */
  #sent: MarkedBody | undefined
  /** Whether nobody waited for the answer any longer: the store may still act on it. */
  #isUnderWay = false
  /** Whether the store said no, and not because of what an earlier try of the driver had done. */
  #isRefused = false
  #done: Stored | undefined

  constructor(target: StoreTarget, revision: Revision) {
    this.#target = target
    this.#revision = revision
  }

  get appended(): readonly Uint8Array[] {
    return this.#revision.appendedChunks
  }

  /** Set when somebody else stored it along with its own. */
  get done(): Stored | undefined {
    return this.#done
  }

  /** Also what a put that failed may have left. */
  isIn(object: Pick<FileBase, 'metadata'>): boolean {
    return holdsOneOf(object, this.#revision.putIds)
  }

  async get(): Promise<Held | null> {
    const { storage, key, signal } = this.#target
    const object = await untilAborted(signal, () => storage.get(key, { signal }))
    if (!object || !this.isIn(object)) this.#sent = undefined
    if (!object) return null
    const { etag, bytes, metadata, body } = object
    return { object: { key, etag, bytes, metadata }, chunks: [body] }
  }

  /**
   * Puts base + what was appended, with a mark of its own.
   *
   * @param followers Other revisions of the file, of which what was appended comes after it.
   */
  async put(sent: MarkedBody, followers: readonly MarkedUpload[] = []): Promise<Stored> {
    const { storage, key, contentType, signal } = this.#target
    const { base, condition, before, isOurs } = sent
    signal.throwIfAborted()
    const all = [this, ...followers]
    const body = [...base, ...all.flatMap(({ appended }) => appended)]
    const id = newWriteId()
    const metadata = markWrite(id, before)
    for (const upload of all) upload.#send(id, sent)
    const options = { ...condition, contentType, metadata, signal }
    try {
      const { etag } = await untilAborted(signal, () => storage.put(key, body, options))
      const object = { key, etag, bytes: byteLengthOf(body), metadata }
      for (const follower of followers) follower.#done = { object, isOurs: false }
      return { object, isOurs: isOurs && followers.length === 0 }
    } catch (error) {
      for (const upload of all) upload.#noteFailure(error, signal.aborted)
      throw error
    }
  }

  /**
   * A failure may come after the write got through: an answer lost on its way, a driver's second try refused because
   * of its first, or time that ran out. The mark in the store tells.
   *
   * @throws The failure, or {@link MayBeStored} when the store does not tell.
   */
  async recognise(failure: unknown): Promise<Stored> {
    const sent = this.#sent
    if (this.#done) return this.#done
    if (!sent) throw failure
    const current = await this.#lookLast().catch(() => {
      throw this.#isRefused ? failure : new MayBeStored(failure)
    })
    if (current && this.isIn(current)) {
      // Nobody waited until the tombstone it was put over is deleted for certain.
      if (pendingTombstone(current, TOMBSTONE_MS) !== null) throw new MayBeStored(failure)
      return { object: current, isOurs: sent.isOurs && this.#isLast(current) }
    }
    const mayFollow = this.#isUnderWay && isFor(sent.condition, current)
    throw mayFollow ? new MayBeStored(failure) : failure
  }

  #send(id: string, sent: MarkedBody): void {
    this.#revision.putIds.add(id)
    this.#sent = sent
    this.#isUnderWay = true
    this.#isRefused = false
  }

  #noteFailure(error: unknown, isOver: boolean): void {
    this.#isUnderWay = isOver || error instanceof AttemptTimedOut
    this.#isRefused = !isOver && !(error instanceof PreconditionFailed) && !isTransient(error)
  }

  /** Nobody's but this run's: a put that others went along with holds more. */
  #isLast(object: ObjectInfo): boolean {
    const isAll = object.bytes === byteLengthOf([...this.#sent!.base, ...this.appended])
    return isAll && isLastOneOf(object, this.#revision.putIds)
  }

  async #lookLast(): Promise<ObjectInfo | null> {
    const { storage, key, signal } = this.#target
    const look = (until: AbortSignal) =>
      untilAborted(until, () => storage.head(key, { signal: until }))
    if (!signal.aborted) {
      try {
        return await look(signal)
      } catch (error) {
        if (!signal.aborted) throw error
      }
    }
    return look(AbortSignal.timeout(LAST_LOOK_MS))
  }
}

/** Whether a put that arrives now would be taken. */
function isFor({ ifMatch, ifNoneMatch }: PutOptions, current: ObjectInfo | null): boolean {
  if (ifMatch !== undefined) return current?.etag === ifMatch
  return ifNoneMatch === undefined || current === null
}
