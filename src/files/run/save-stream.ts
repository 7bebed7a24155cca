/** A file that streams in from outside the script, and replaces its name once it is complete. */
import { QuotaExceeded } from '../../errors.ts'
import { FileBytes } from '../content/file-bytes.ts'
import { FileStream } from '../content/file-stream.ts'
import { FileError } from '../file-error.ts'
import type { VirtualPath } from '../path.ts'
import { PART_BYTES, SINGLE_PUT_BYTES } from '../store/part-sender.ts'
import type { UploadStream } from '../store/upload-stream.ts'
import { lacking, NOTHING, sum } from '../usage/amount.ts'
import { touchedRow } from './files-touched.ts'
import type { RunState } from './run-state.ts'

/** Of what a single put takes, 1 MiB: larger streams wait for their turn. */
const FREE_SHARE = 1 / 16
/** In memory at once: two under way, and one that is filled. */
const PARTS = 3
/** At once; leaves memory for the script's own files. */
const MAX_LARGE = 2

/**
 * Until it is closed, neither the script nor the store sees anything of it; if it fails or is
 * aborted, both keep what they had. Calls must not overlap, except {@link abort}.
 */
export class SaveStream {
  readonly #run: RunState
  readonly path: VirtualPath
  readonly #sizes: { readonly partBytes: number; readonly singlePutBytes: number }
  #held: FileBytes | undefined = new FileBytes()
  #upload: UploadStream | undefined
  #bytes = 0
  #isLarge = false
  #hasMemory = false
  #isOver = false
  /** Taken at the store, but not used yet. */
  #room = NOTHING

  /** @throws {FileError} if the name cannot be a file of this run. */
  constructor(run: RunState, path: VirtualPath) {
    this.#run = run
    this.path = path
    const { partBytes = PART_BYTES, singlePutBytes = SINGLE_PUT_BYTES } =
      run.options.uploadSizes ?? {}
    this.#sizes = { partBytes, singlePutBytes }
    this.#assertCanReplace()
    run.saves.open.add(this)
  }

  /** What can be written without asking for more room at the store. */
  get roomBytes(): number {
    return this.#run.meter ? this.#room.bytes - this.#bytes : Infinity
  }

  /**
   * Takes room for about this many more bytes, and some to spare.
   *
   * @param least Rather than nothing, if there is no room for all of them.
   * @throws {QuotaExceeded}
   */
  async makeRoom(bytes: number, least = bytes - this.roomBytes): Promise<void> {
    const { meter } = this.#run
    if (!meter || this.roomBytes >= bytes) return
    const more = { bytes: least, objects: this.#room.objects === 0 ? 1 : 0 }
    await meter.take(more, true).catch((cause: unknown) => {
      if (cause instanceof QuotaExceeded) throw cause
      return this.#sending(Promise.reject(cause))
    })
    this.#room = sum(this.#room, more, meter.takeFree())
  }

  /** Copies the bytes; waits while the store is behind. @throws {FileError}, a quota too. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#assertOpen()
    await this.makeRoom(bytes.length)
    const size = this.#bytes + bytes.length
    if (size > this.#sizes.singlePutBytes * FREE_SHARE) await this.#becomeLarge()
    if (this.#held && size > this.#sizes.singlePutBytes) await this.#startUpload(this.#held)
    this.#bytes = size
    if (this.#held) this.#held.write(this.#held.size, bytes)
    else await this.#sending(this.#upload!.write(bytes))
  }

  /** Replaces the file. @throws {FileError}, and then nothing has changed. */
  async close(): Promise<void> {
    this.#assertOpen()
    try {
      if (this.#held && this.#bytes <= this.#run.budget.freeBytes) this.#keep(this.#held)
      else await this.#run.saves.inTurn(() => this.#complete())
    } catch (error) {
      await this.abort(error)
      throw error
    }
    this.#end()
  }

  /** Leaves nothing behind. Never rejects. */
  async abort(reason?: unknown): Promise<void> {
    if (this.#isOver) return
    const { saves } = this.#run
    const aborted = this.#upload && saves.untilEnd(this.#upload.abort(reason))
    this.#end()
    await aborted
  }

  /** A file like any other. */
  #keep(held: FileBytes): void {
    this.#giveMemory()
    this.#giveRoom()
    this.#run.create(this.path, held.chunks())
  }

  async #complete(): Promise<void> {
    if (this.#held) await this.#startUpload(this.#held)
    this.#assertCanReplace()
    const { names, queue, moved, options } = this.#run
    const path = this.path
    const old = names.get(path)?.node
    if (old) {
      // Its own upload must not end after this one.
      queue.withdraw(old)
      await queue.underWay(old)
      // Its readers keep it, if it fits into memory.
      if (old.handles > 0) await this.#run.load(old)?.catch(() => undefined)
    }
    const isLater = options.storesOnClose === false || moved.has(path)
    try {
      await (isLater ? this.#storeLater() : this.#storeNow())
    } catch (error) {
      if (old) queue.add(old)
      throw error
    }
  }

  async #storeNow(): Promise<void> {
    const written = await this.#sending(this.#upload!.close())
    this.#assertOpen()
    const node = this.#run.replace(this.path, { base: written })
    this.#run.options.onStored?.(touchedRow(this.path, node))
  }

  /** All bytes go up now; the object appears when the run stores its changes. */
  async #storeLater(): Promise<void> {
    const upload = this.#upload!
    await this.#sending(upload.seal())
    this.#assertOpen()
    const stream = new FileStream(this.#run.budget, () => upload, [])
    this.#run.replace(this.path, { stream })
  }

  /** Memory for three parts, whatever of it is used. */
  async #becomeLarge(): Promise<void> {
    if (this.#isLarge) return
    this.#isLarge = true
    await this.#run.saves.takeTurn()
    if (this.#isOver) this.#run.saves.giveTurn()
    this.#assertOpen()
    await this.#run.budget.takeAnyway(PARTS * this.#sizes.partBytes)
    this.#hasMemory = true
    if (this.#isOver) this.#giveMemory()
    this.#assertOpen()
  }

  /** Without a copy: what is held fits into the memory for parts. */
  async #startUpload(held: FileBytes): Promise<void> {
    this.#held = undefined
    // Its room is taken already.
    const take = this.#run.meter && (() => Promise.resolve())
    const upload = this.#run.uploads.openUpload(this.path, { ...this.#sizes, take })
    this.#upload = upload
    await this.#sending((async () => upload.adopt(held.chunks()))())
  }

  /** The script sees EIO; the log gets the cause. */
  async #sending<T>(sent: Promise<T>): Promise<T> {
    try {
      return await sent
    } catch (cause) {
      if (!this.#isOver) this.#run.options.onFailure?.(cause)
      throw new FileError('EIO', { cause })
    }
  }

  /** Leaves it to others of the run; what was sent stays taken. */
  #giveRoom(): void {
    const sent = this.#upload ? { bytes: this.#bytes, objects: 1 } : NOTHING
    this.#run.meter?.give(lacking(this.#room, sent))
    this.#room = NOTHING
  }

  #giveMemory(): void {
    if (!this.#hasMemory) return
    this.#hasMemory = false
    this.#run.budget.give(PARTS * this.#sizes.partBytes)
    this.#run.saves.giveTurn()
  }

  #end(): void {
    this.#isOver = true
    this.#held = undefined
    this.#giveMemory()
    this.#giveRoom()
    this.#run.saves.open.delete(this)
  }

  #assertOpen(): void {
    if (this.#isOver) throw new FileError('EIO')
  }

  #assertCanReplace(): void {
    this.#run.tree.findKnown(this.path)
    if (!this.#run.touched.canTouch(this.path)) throw new FileError('ENOSPC')
  }
}

/** The streams of one run. */
export class Saves {
  readonly open = new Set<SaveStream>()
  readonly #ending = new Set<Promise<void>>()
  readonly #waiting: (() => void)[] = []
  #large = 0
  #last: Promise<void> = Promise.resolve()

  /** Waits while {@link MAX_LARGE} others are large. */
  async takeTurn(): Promise<void> {
    if (this.#large < MAX_LARGE) this.#large++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  giveTurn(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#large--
  }

  /** One at a time: the last to complete is the one that the script and the store see. */
  inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }

  /** @param ended Never rejects. */
  async untilEnd(ended: Promise<void>): Promise<void> {
    this.#ending.add(ended)
    await ended
    this.#ending.delete(ended)
  }

  /** Aborts what the run left open, and waits until nothing of it is at the store. */
  async end(): Promise<void> {
    for (const save of this.open) void save.abort()
    await Promise.all(this.#ending)
  }
}
