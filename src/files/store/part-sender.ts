/** Stores a file whose bytes come one part after the other. */
import { QuotaExceeded } from '../../errors.ts'
import { PreconditionFailed, type ObjectBody, type PartUpload } from '../../storage/driver.ts'
import { byteLengthOf } from '../../storage/object-body.ts'
import { created } from '../../storage/part-list.ts'
import { anySignal, untilAborted } from '../../lib/abort.ts'
import { markWrite, newWriteId } from './marks.ts'
import type { Amount } from '../usage/amount.ts'
import { TrackedWrite, type WriteTarget, type WrittenFile } from './tracked-write.ts'

/** Stores take no smaller parts than 5 MiB, except the last. */
export const PART_BYTES = 8 * 1024 * 1024

/** The largest file stored with a single put. */
export const SINGLE_PUT_BYTES = 2 * PART_BYTES

/** Beside these a caller holds one that waits or is being filled. */
const MAX_UNDER_WAY = 2

/** The first error says more than one of the abort, and a run's end must not wait long for it. */
const ABORT_MS = 5_000

export interface SendHooks {
  /** Called with the number of requests that a step takes. */
  readonly onRequest?: ((requests: number) => void) | undefined
  /** Maps the store's failure. */
  readonly errorOf?: ((cause: unknown) => Error) | undefined
  /** Takes room at the store before bytes are sent. */
  readonly take?: ((amount: Amount) => Promise<void>) | undefined
  /** Called once at the end. @param isCertain Whether it is known what the store did. */
  readonly onEnd?: ((isCertain: boolean) => Promise<void>) | undefined
}

/** Whether an error tells that nothing was stored. */
export function isClear(error: unknown): boolean {
  return error instanceof PreconditionFailed || error instanceof QuotaExceeded
}

/**
 * Nothing is visible before {@link finish}. After a failure everything rejects with it, and no
 * upload is left at the store. Aborts by itself when the signal of its target does.
 */
export class PartSender {
  readonly #target: WriteTarget
  readonly #hooks: SendHooks
  readonly #writeId = newWriteId()
  readonly #ending = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  #partsSignal: AbortSignal | undefined
  #creating: Promise<PartUpload> | undefined
  #parts = 0
  #sentBytes = 0
  #failure: { readonly error: unknown } | undefined
  #aborting: Promise<void> | undefined
  #isStored = false

  constructor(target: WriteTarget, hooks: SendHooks = {}) {
    this.#target = target
    this.#hooks = hooks
    target.signal?.addEventListener('abort', this.#onEnd)
  }

  get hasRoom(): boolean {
    return this.#underWay.size < MAX_UNDER_WAY
  }

  /** Stored, failed or aborted. */
  get isOver(): boolean {
    return this.#isStored || this.#failure !== undefined
  }

  /** Resolves when a part is no longer under way; `undefined` if none is. Never rejects. */
  partLeft(): undefined | Promise<void> {
    return this.#underWay.size > 0 && !this.isOver ? Promise.race(this.#underWay) : undefined
  }

  /** @throws if it failed or ended. */
  assertOpen(): void {
    if (this.#failure) throw this.#failure.error
    if (this.#isStored) throw new Error('the file is already stored')
    const { signal } = this.#target
    if (signal?.aborted) throw this.#fail(signal.reason)
  }

  /**
   * Reads the body until it is sent. All parts sent this way must have the same size.
   *
   * @param onEnd Called when the part is stored, or has failed and may still be read.
   */
  send(body: ObjectBody, onEnd: (isStored: boolean) => void = () => {}): void {
    this.assertOpen()
    const number = ++this.#parts
    this.#sentBytes += byteLengthOf(body)
    const end = (isStored: boolean) => {
      this.#underWay.delete(sending)
      onEnd(isStored)
    }
    const sending: Promise<void> = this.#put(number, body).then(
      () => end(true),
      (error: unknown) => {
        this.#fail(error)
        end(false)
      },
    )
    this.#underWay.add(sending)
  }

  /** Waits until nothing is under way. Rejects with the failure, if there is one. */
  async sent(): Promise<void> {
    await Promise.all(this.#underWay)
    this.assertOpen()
  }

  /** @param rest What was not sent: everything, for a file stored with a single put. */
  async finish(rest: ObjectBody): Promise<WrittenFile> {
    this.assertOpen()
    // From here on the requests themselves end with the signal: the last may get through.
    this.#stopListening()
    try {
      const written = await (this.#parts === 0 ? this.#putWhole(rest) : this.#complete(rest))
      this.#isStored = true
      await this.#hooks.onEnd?.(true)
      return written
    } catch (error) {
      const failure = this.#fail(error)
      await this.#aborting
      await this.#hooks.onEnd?.(isClear(error))
      throw failure
    }
  }

  /** Leaves no object and no upload; has no effect once stored. Never rejects. */
  async abort(reason: unknown = new Error('the upload was aborted')): Promise<void> {
    if (!this.#isStored) this.#end(reason)
    await this.#aborting
  }

  readonly #onEnd = () => void this.#fail(this.#target.signal?.reason)

  async #put(number: number, body: ObjectBody): Promise<void> {
    await this.#hooks.take?.({ bytes: byteLengthOf(body), objects: number === 1 ? 1 : 0 })
    this.#creating ??= this.#create()
    const upload = await this.#creating
    this.#hooks.onRequest?.(1)
    const signal = this.#signal
    await untilAborted(signal, () => upload.putPart(number, body, { signal }))
  }

  #create(): Promise<PartUpload> {
    const { storage, key, contentType } = this.#target
    const metadata = markWrite(this.#writeId)
    const signal = this.#signal
    this.#hooks.onRequest?.(1)
    return created(signal, () => storage.createUpload(key, { contentType, metadata, signal }))
  }

  async #putWhole(body: ObjectBody): Promise<WrittenFile> {
    const { storage } = this.#target
    await this.#hooks.take?.({ bytes: byteLengthOf(body), objects: 1 })
    return this.#tracked(byteLengthOf(body), (write, bytes) =>
      write.put(bytes, { writeId: this.#writeId }, (key, how) => storage.put(key, body, how)),
    )
  }

  async #complete(rest: ObjectBody): Promise<WrittenFile> {
    for (let left = this.partLeft(); left && !this.hasRoom; left = this.partLeft()) await left
    if (byteLengthOf(rest) > 0) this.send(rest)
    await this.sent()
    const upload = await this.#creating!
    return this.#tracked(this.#sentBytes, (write, bytes) =>
      write.put(bytes, { writeId: this.#writeId }, (_, { signal }) => upload.complete({ signal })),
    )
  }

  async #tracked(
    bytes: number,
    send: (write: TrackedWrite, bytes: number) => Promise<WrittenFile>,
  ): Promise<WrittenFile> {
    const write = new TrackedWrite(this.#target)
    this.#hooks.onRequest?.(1)
    return send(write, bytes).catch((failure: unknown) => write.settle(failure))
  }

  /** Returns the error that callers see, which is the first. */
  #fail(cause: unknown): unknown {
    const { errorOf } = this.#hooks
    if (!this.#failure && !this.#isStored) this.#end(errorOf ? errorOf(cause) : cause)
    return this.#failure?.error ?? cause
  }

  #end(error: unknown): void {
    this.#failure ??= { error }
    this.#stopListening()
    this.#ending.abort(error)
    this.#aborting ??= this.#abortUpload()
  }

  async #abortUpload(): Promise<void> {
    try {
      const upload = await this.#creating
      if (upload) await untilAborted(AbortSignal.timeout(ABORT_MS), () => upload.abort())
    } catch {
      // The failure is known.
    }
  }

  get #signal(): AbortSignal {
    return (this.#partsSignal ??= anySignal(this.#ending.signal, this.#target.signal))
  }

  #stopListening(): void {
    this.#target.signal?.removeEventListener('abort', this.#onEnd)
  }
}
