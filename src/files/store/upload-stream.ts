/** A file stored while it is written: in one put if it is small, in parts if it is not. */
import { byteLengthOf, moveChunk, releaseChunks } from '../../storage/object-body.ts'
import type { WriteTarget, WrittenFile } from './tracked-write.ts'
import { PART_BYTES, PartSender, SINGLE_PUT_BYTES, type SendHooks } from './part-sender.ts'

/** For tests: stores take no smaller parts than 5 MiB, and memory is counted in three of them. */
export interface UploadSizes {
  readonly partBytes?: number | undefined
  /** The largest file stored with a single put. */
  readonly singlePutBytes?: number | undefined
}

export interface UploadHooks extends SendHooks {
  /** Called with the size of a part that is no longer in memory. */
  readonly onFreed?: ((bytes: number) => void) | undefined
}

/** Small files take little memory: buffers grow from this size. */
const FIRST_BUFFER_BYTES = 64 * 1024
const LARGEST_BUFFER_BYTES = 1024 * 1024

/**
 * Replaces the file when closed, as a put does; nothing is visible before. Has at most three parts
 * of 8 MiB in memory. Calls must not overlap. After a failure every call rejects with it, and no
 * upload is left at the store.
 */
export class UploadStream {
  readonly #sender: PartSender
  readonly #hooks: UploadHooks
  readonly #partBytes: number
  readonly #singlePutBytes: number
  #full: Uint8Array[][] = []
  #filling: Uint8Array[] = []
  #fillingBytes = 0
  /** Of the last buffer of the part being filled. */
  #free: Uint8Array = new Uint8Array()
  /** For the part being filled: new buffers would have to be cleared, and become garbage. */
  #spare: Uint8Array[] = []
  #isEnding = false
  #bytes = 0

  constructor(target: WriteTarget, hooks: UploadHooks = {}, sizes: UploadSizes = {}) {
    this.#sender = new PartSender(target, hooks)
    this.#hooks = hooks
    this.#partBytes = sizes.partBytes ?? PART_BYTES
    this.#singlePutBytes = sizes.singlePutBytes ?? SINGLE_PUT_BYTES
  }

  /** Written so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** Copies the bytes. Waits while two parts are under way and a third is full. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#sender.assertOpen()
    for (let at = 0; at < bytes.length;) {
      const piece = bytes.subarray(at, at + this.#partBytes - this.#fillingBytes)
      for (let left = this.room(piece.length); left; left = this.room(piece.length)) await left
      this.writeNow(piece)
      at += piece.length
    }
  }

  /** As {@link write}, without waiting: {@link room} must precede it to bound the memory. */
  writeNow(bytes: Uint8Array): void {
    this.#sender.assertOpen()
    for (let at = 0; at < bytes.length;) at += this.#copy(bytes.subarray(at))
    this.#sendFull()
  }

  /** As {@link writeNow}, without copying: the stream owns the chunks from here on. */
  adopt(chunks: readonly Uint8Array[]): void {
    this.#sender.assertOpen()
    for (const chunk of chunks) {
      for (let at = 0; at < chunk.length;) {
        const piece = chunk.subarray(at, at + this.#partBytes - this.#fillingBytes)
        // Parts are freed one by one, so they share no buffer.
        this.#filling.push(piece.length < chunk.length ? piece.slice() : piece)
        this.#filled(piece.length)
        at += piece.length
      }
    }
    this.#sendFull()
  }

  /** Resolves when a part has left, if memory is short for this many more bytes. Never rejects. */
  room(bytes: number): undefined | Promise<void> {
    const unsentBytes = this.#full.length * this.#partBytes + this.#fillingBytes
    const isShort = !this.#sender.hasRoom && unsentBytes + bytes > this.#partBytes
    return isShort ? this.partLeft() : undefined
  }

  /** Resolves when a part has left; `undefined` if none is under way. Never rejects. */
  partLeft(): undefined | Promise<void> {
    return this.#sender.partLeft()
  }

  /** Sends what can be sent before {@link close}; only a file of a single put stays in memory. */
  async seal(): Promise<void> {
    this.#sender.assertOpen()
    this.#releaseSpare()
    if (!this.#isLarge) return
    await this.#sentFull()
    for (let left = this.partLeft(); left && !this.#sender.hasRoom; left = this.partLeft())
      await left
    const rest = this.#takeFilling()
    if (byteLengthOf(rest) > 0) this.#sender.send(rest)
    await this.#sender.sent()
  }

  /** Stores the file: with a single put up to 16 MiB, in parts of 8 MiB beyond. */
  async close(): Promise<WrittenFile> {
    this.#sender.assertOpen()
    this.#releaseSpare()
    if (this.#isLarge) await this.#sentFull()
    const rest = [...this.#full.flat(), ...this.#takeFilling()]
    this.#full = []
    return this.#sender.finish(rest)
  }

  /** Leaves no object and no unfinished upload; has no effect once closed. Never rejects. */
  abort(reason?: unknown): Promise<void> {
    this.#full = []
    this.#takeFilling()
    this.#releaseSpare()
    return this.#sender.abort(reason)
  }

  /** Each part that leaves sends the next. */
  async #sentFull(): Promise<void> {
    while (this.#full.length > 0) {
      await this.partLeft()
      this.#sender.assertOpen()
    }
  }

  get #isLarge(): boolean {
    return this.#bytes > this.#singlePutBytes
  }

  #sendFull(): void {
    while (this.#isLarge && this.#sender.hasRoom) {
      const part = this.#full.shift()
      if (!part) return
      this.#sender.send(part, (isStored) => {
        this.#hooks.onFreed?.(byteLengthOf(part))
        if (isStored) this.#reuse(part)
        if (!this.#sender.isOver) this.#sendFull()
      })
    }
  }

  /** Returns how many bytes went into the current part. */
  #copy(bytes: Uint8Array): number {
    if (this.#free.length === 0) this.#addBuffer(bytes.length)
    const piece = bytes.subarray(0, this.#free.length)
    this.#free.set(piece)
    this.#free = this.#free.subarray(piece.length)
    this.#filled(piece.length)
    return piece.length
  }

  #filled(bytes: number): void {
    this.#fillingBytes += bytes
    this.#bytes += bytes
    if (this.#fillingBytes === this.#partBytes) this.#full.push(this.#takeFilling())
  }

  #addBuffer(wantedBytes: number): void {
    const left = this.#partBytes - this.#fillingBytes
    const grownBytes = Math.max(FIRST_BUFFER_BYTES, this.#bytes, wantedBytes)
    const bytes = Math.min(left, grownBytes, LARGEST_BUFFER_BYTES)
    const spare = bytes === LARGEST_BUFFER_BYTES ? this.#spare.pop() : undefined
    this.#free = spare ?? new Uint8Array(bytes)
    this.#filling.push(this.#free)
  }

  /** Frees the rest: garbage of a few parts would fill an isolate. */
  #reuse(part: readonly Uint8Array[]): void {
    const left = this.#partBytes - this.#fillingBytes
    for (const chunk of part) {
      const isLargest = chunk.buffer.byteLength === LARGEST_BUFFER_BYTES
      const isWanted = (this.#spare.length + 1) * LARGEST_BUFFER_BYTES <= left
      // Who is told what was freed counts on it.
      const isKept = isLargest && isWanted && !this.#isEnding && !this.#hooks.onFreed
      if (isKept) this.#spare.push(moveChunk(chunk))
      else releaseChunks([chunk])
    }
  }

  #releaseSpare(): void {
    this.#isEnding = true
    releaseChunks(this.#spare)
    this.#spare = []
  }

  #takeFilling(): Uint8Array[] {
    const part = this.#filling
    const last = part.pop()
    if (last) part.push(last.subarray(0, last.length - this.#free.length))
    this.#filling = []
    this.#fillingBytes = 0
    this.#free = new Uint8Array()
    return part
  }
}
