/** One write to an object: each put of it carries an id, by which one without an answer is found again. */
import type { ObjectInfo, PutOptions, StorageDriver } from '../storage/driver.ts'
import { PreconditionFailed } from '../storage/driver.ts'
import { AttemptTimedOut, isTransient } from '../storage/is-transient.ts'
import type { VirtualPath } from './path.ts'
import { pendingTombstone, TOMBSTONE_MS } from './tombstone.ts'
import { untilAborted } from '../lib/abort.ts'
import { holdsOneOf, lastWriteOf, markWrite, newWriteId } from './write-id.ts'

/** For asking what became of a put, when the time for storing is over. */
export const LAST_LOOK_MS = 2_000

/** Where a write goes, and until when. */
export interface WriteTarget {
  readonly storage: StorageDriver
  readonly path: VirtualPath
  readonly key: string
  readonly contentType: string
  readonly signal: AbortSignal | undefined
}

/** Without one, the last writer wins. */
export type WriteCondition = Pick<PutOptions, 'ifMatch' | 'ifNoneMatch'>

/** A version of a file as the store has it. */
export interface StoredVersion {
  readonly path: VirtualPath
  readonly etag: string
  readonly bytes: number
  /** Holds the ids of the writes that made it. */
  readonly metadata: ObjectInfo['metadata']
}

/** What the store has after a write. */
export interface StoredWrite extends StoredVersion {
  /** Whether it holds what its writer has of the file, and nothing of others. */
  readonly isExact: boolean
}

export interface WrittenFile extends StoredWrite {
  /** The write's own id; somebody else's may have come after it. */
  readonly writeId: string
}

/** The store was told to take it and did not answer; it may have, or may still do so. */
export class MayBeStored extends Error {
  constructor(cause: unknown) {
    super('the store gave no answer, and may have stored the file', { cause })
    this.name = 'MayBeStored'
  }
}

/** How one put is made. */
export interface TrackedPut extends WriteCondition {
  /** The metadata of what is only added to. */
  readonly before?: ObjectInfo['metadata'] | undefined
  /** Other writes to the object whose bytes are in the body too. */
  readonly others?: readonly TrackedWrite[] | undefined
  /** Whether the body holds something that the writer does not know. */
  readonly isOnOthers?: boolean | undefined
}

/** Sends the bytes to the key. */
export type Send = (key: string, options: PutOptions) => Promise<{ readonly etag: string }>

interface SentPut {
  readonly writeId: string
  readonly condition: WriteCondition
  readonly bytes: number
  readonly isExact: boolean
}

/** All tries of one write. */
export class TrackedWrite {
  readonly target: WriteTarget
  readonly #ids: Set<string>
  /** The last put that may have got through. */
  #sent: SentPut | undefined
  /** Whether nobody waited for the answer any longer: the store may still act on it. */
  #isUnderWay = false
  /** Whether the store said no, and not because of what an earlier try of the driver had done. */
  #isRefused = false

  /** @param ids Of all puts so far; each adds its own. */
  constructor(target: WriteTarget, ids = new Set<string>()) {
    this.target = target
    this.#ids = ids
  }

  /** Also what a put that failed may have left. */
  isIn(object: Pick<ObjectInfo, 'metadata'>): boolean {
    return holdsOneOf(object, this.#ids)
  }

  /** What is there now; a put that left no trace in it did not get through. */
  async get() {
    const { storage, key, signal } = this.target
    const object = await untilAborted(signal, () => storage.get(key, { signal }))
    if (!object || !this.isIn(object)) this.#sent = undefined
    return object
  }

  /**
   * One try.
   *
   * @param bytes The length of what `send` sends.
   * @throws Whatever the store fails with: {@link settle} tells whether it was stored nevertheless.
   */
  async put(
    bytes: number,
    { before, others = [], isOnOthers = false, ...condition }: TrackedPut,
    send: Send,
  ): Promise<WrittenFile> {
    const { path, key, contentType, signal } = this.target
    signal?.throwIfAborted()
    const writeId = newWriteId()
    const metadata = markWrite(writeId, before)
    const isExact = !isOnOthers && others.length === 0
    const all = [this, ...others]
    for (const write of all) write.#start({ writeId, condition, bytes, isExact })
    try {
      const options = { ...condition, contentType, metadata, signal }
      const { etag } = await untilAborted(signal, () => send(key, options))
      return { path, etag, bytes, metadata, isExact, writeId }
    } catch (error) {
      for (const write of all) write.#fail(error, signal?.aborted ?? false)
      throw error
    }
  }

  /**
   * A failure may come after the write got through: an answer lost on its way, a driver's second try refused because
   * of its first, or time that ran out. The id in the store tells.
   *
   * @throws The failure, or {@link MayBeStored} when the store does not tell.
   */
  async settle(failure: unknown): Promise<WrittenFile> {
    const sent = this.#sent
    if (!sent) throw failure
    const seen = failure instanceof PreconditionFailed ? failure.current : undefined
    const current = seen ?? (await this.#look(failure))
    if (!current || !this.isIn(current)) {
      const mayFollow = this.#isUnderWay && isMet(sent.condition, current)
      throw mayFollow ? new MayBeStored(failure) : failure
    }
    // Nobody waited until the tombstone it was put over is deleted for certain.
    if (pendingTombstone(current, TOMBSTONE_MS) !== null) throw new MayBeStored(failure)
    const { etag, bytes, metadata } = current
    const last = lastWriteOf(current)!
    const isLast = this.#ids.has(last)
    const isExact = sent.isExact && isLast && bytes === sent.bytes
    const writeId = isLast ? last : sent.writeId
    return { path: this.target.path, etag, bytes, metadata, isExact, writeId }
  }

  #start(sent: SentPut): void {
    this.#ids.add(sent.writeId)
    this.#sent = sent
    this.#isUnderWay = true
    this.#isRefused = false
  }

  #fail(error: unknown, isOver: boolean): void {
    this.#isUnderWay = isOver || error instanceof AttemptTimedOut
    this.#isRefused = !isOver && !(error instanceof PreconditionFailed) && !isTransient(error)
  }

  async #look(failure: unknown): Promise<ObjectInfo | null> {
    try {
      return await this.#head()
    } catch {
      throw this.#isRefused ? failure : new MayBeStored(failure)
    }
  }

  /** While there is time, and once more for a little longer. */
  async #head(): Promise<ObjectInfo | null> {
    const { storage, key, signal } = this.target
    const look = (until: AbortSignal | undefined) =>
      untilAborted(until, () => storage.head(key, { signal: until }))
    if (!signal?.aborted) {
      try {
        return await look(signal)
      } catch (error) {
        if (!signal?.aborted) throw error
      }
    }
    return look(AbortSignal.timeout(LAST_LOOK_MS))
  }
}

/** Whether a put that arrives now would be taken. */
function isMet({ ifMatch, ifNoneMatch }: WriteCondition, current: ObjectInfo | null): boolean {
  if (ifMatch !== undefined) return current?.etag === ifMatch
  return ifNoneMatch === undefined || current === null
}
