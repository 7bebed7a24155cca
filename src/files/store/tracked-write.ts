/** A write whose puts carry ids, so the outcome of an unanswered put can be looked up. */
import {
  PreconditionFailed,
  type ObjectInfo,
  type PutOptions,
  type StorageDriver,
} from '../../storage/driver.ts'
import { AttemptTimedOut, isTransient } from '../../storage/errors.ts'
import type { VirtualPath } from '../path.ts'
import {
  pendingTombstone,
  TOMBSTONE_MS,
  holdsOneOf,
  lastWriteOf,
  markWrite,
  newWriteId,
} from './marks.ts'
import { untilAborted } from '../../lib/abort.ts'

/** Grace period for checking on a put after the deadline. */
export const LAST_LOOK_MS = 2_000

export interface WriteTarget {
  readonly storage: StorageDriver
  readonly path: VirtualPath
  readonly key: string
  readonly contentType: string
  readonly signal: AbortSignal | undefined
}

/** Without a condition, the last writer wins. */
export type WriteCondition = Pick<PutOptions, 'ifMatch' | 'ifNoneMatch'>

export interface StoredVersion {
  readonly path: VirtualPath
  readonly etag: string
  readonly bytes: number
  /** Contains the ids of the writes that made it. */
  readonly metadata: ObjectInfo['metadata']
}

/** What the store has after a write. */
export interface StoredWrite extends StoredVersion {
  /** Whether it contains exactly the writer's content, without changes by others. */
  readonly isExact: boolean
}

export interface WrittenFile extends StoredWrite {
  /** The write's own id; the object may have been written again since. */
  readonly writeId: string
}

/** The store did not answer: the write may have succeeded, or may still do so. */
export class MayBeStored extends Error {
  constructor(cause: unknown) {
    super('the store gave no answer, and may have stored the file', { cause })
    this.name = 'MayBeStored'
  }
}

/** Options of one put. */
export interface TrackedPut extends WriteCondition {
  /** Metadata of the object being appended to or copied. */
  readonly before?: ObjectInfo['metadata'] | undefined
  /** Other writes to the object whose bytes are in the body too. */
  readonly others?: readonly TrackedWrite[] | undefined
  /** Whether the body contains data the writer has not seen. */
  readonly isOnOthers?: boolean | undefined
  /** Given to the store before: the id of an upload in parts. */
  readonly writeId?: string | undefined
}

export type Send = (key: string, options: PutOptions) => Promise<{ readonly etag: string }>

interface SentPut {
  readonly writeId: string
  readonly condition: WriteCondition
  readonly bytes: number
  readonly isExact: boolean
}

/** All attempts of one write. */
export class TrackedWrite {
  readonly target: WriteTarget
  readonly #ids: Set<string>
  /** The last put that may have succeeded. */
  #sent: SentPut | undefined
  /** The answer was not awaited: the store may still apply the put. */
  #isUnderWay = false
  /** The store rejected it, and not because an earlier attempt of the driver had succeeded. */
  #isRefused = false

  /** @param ids Of all puts so far; each adds its own. */
  constructor(target: WriteTarget, ids = new Set<string>()) {
    this.target = target
    this.#ids = ids
  }

  /** Also finds puts that appeared to fail. */
  isIn(object: Pick<ObjectInfo, 'metadata'>): boolean {
    return holdsOneOf(object, this.#ids)
  }

  /** Reads the object; a put that left no id in it did not succeed. */
  async get() {
    const { storage, key, signal } = this.target
    const object = await untilAborted(signal, () => storage.get(key, { signal }))
    if (!object || !this.isIn(object)) this.#sent = undefined
    return object
  }

  /**
   * One attempt.
   *
   * @param bytes The length of what `send` sends.
   * @throws Any error of the store: {@link settle} finds out whether it was stored nevertheless.
   */
  async put(
    bytes: number,
    { before, others = [], isOnOthers = false, writeId = newWriteId(), ...condition }: TrackedPut,
    send: Send,
  ): Promise<WrittenFile> {
    const { path, key, contentType, signal } = this.target
    signal?.throwIfAborted()
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
   * A failed write may have succeeded: lost response, a retry refused because of the first attempt,
   * or a timeout. The write id in the store decides.
   *
   * @throws The failure, or {@link MayBeStored} if the outcome remains unknown.
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
    // The tombstone it overwrote may still be deleted, and this object with it.
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

  /** Within the deadline, then once more with a grace period. */
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

/** Whether a put arriving now would succeed. */
function isMet({ ifMatch, ifNoneMatch }: WriteCondition, current: ObjectInfo | null): boolean {
  if (ifMatch !== undefined) return current?.etag === ifMatch
  return ifNoneMatch === undefined || current === null
}
