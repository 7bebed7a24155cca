/** Which files of a run are uploaded while they are written, and what the others may do then. */
import { FileError } from '../file-error.ts'
import { FileStream } from '../content/file-stream.ts'
import type { FileNode } from '../content/file-node.ts'
import { PART_BYTES, SINGLE_PUT_BYTES } from '../store/part-sender.ts'
import type { OpenHandle } from './handle-table.ts'
import type { RunState } from './run-state.ts'

/** Of one run. */
export class RunStreams {
  readonly #run: RunState
  /** A file written forward beyond this size is uploaded while it is written. */
  readonly startBytes: number
  readonly #partBytes: number
  /** Still holding memory. */
  readonly #active = new Set<FileStream>()
  readonly #discarding: Promise<void>[] = []

  constructor(run: RunState) {
    this.#run = run
    const { singlePutBytes = SINGLE_PUT_BYTES, partBytes = PART_BYTES } =
      run.options.uploadSizes ?? {}
    this.startBytes = singlePutBytes
    this.#partBytes = partBytes
  }

  /** Call after a write that made a file large; those not written forward stay in memory. */
  start(handle: OpenHandle): void {
    if (this.#canStart(handle)) this.#start(handle.node, this.startBytes)
  }

  #canStart(handle: OpenHandle): boolean {
    const { node } = handle
    const { path } = node
    if (node.stream || !path || !isForward(handle)) return false
    // Only one upload to a name: files moved from there, or still read from there, come first.
    return !this.#run.moved.has(path) && !this.#run.handles.isReadFrom(path)
  }

  #start(node: FileNode, singlePutBytes: number): void {
    const { budget, uploads } = this.#run
    const sizes = { partBytes: this.#partBytes, singlePutBytes }
    const stream = node.startStream(
      (chunks) =>
        new FileStream(
          budget,
          (hooks) => uploads.openUpload(node.path!, { ...sizes, ...hooks }),
          chunks,
        ),
    )
    this.#active.add(stream)
  }

  /**
   * Without other memory, the largest file that has a part: when that has left, if there is one.
   */
  #startEarly(): undefined | Promise<void> {
    const [largest] = this.#run.handles
      .all()
      .filter((handle) => handle.node.size >= this.#partBytes && this.#canStart(handle))
      .sort((a, b) => b.node.size - a.node.size)
    if (!largest) return undefined
    this.#start(largest.node, 0)
    return this.#partLeft()
  }

  /** What to wait for before the script writes this many bytes, to any file. Never rejects. */
  room(bytes: number): undefined | Promise<void> {
    const { budget, queue } = this.#run
    const waits = [...this.#active].map((stream) => stream.room(bytes))
    let left = waits.find(Boolean)
    // The second sum walks through all files.
    const isShort = budget.freeBytes < bytes && this.#run.freeBytes < bytes
    if (!left && !isShort) return undefined
    queue.start()
    left ??= this.#partLeft() ?? queue.oneEnded() ?? this.#startEarly()
    return left?.then(() => this.room(bytes))
  }

  /**
   * For everything but writing on: waits until a file that was closed is stored.
   *
   * @throws {FileError} EFBIG while it is open or kept for the end of the run, EIO if it failed.
   */
  whenStored(node: FileNode): Promise<void> {
    const { storesOnClose = true } = this.#run.options
    if (node.handles > 0 || !storesOnClose) throw new FileError('EFBIG')
    const ended = this.#run.queue.whenEnded(node)
    if (!ended) throw new FileError('EIO')
    return ended
  }

  /**
   * For a file about to be truncated. An upload under way goes on; the next one replaces it.
   *
   * @throws {FileError} EFBIG while it is open.
   */
  replace(node: FileNode): void {
    if (node.handles > 0) throw new FileError('EFBIG')
    // The file's upload under way may be of an earlier stream.
    if (!node.stream?.isFinishing) this.discard(node)
  }

  /** For a file that is gone or unwanted: nothing of it is stored. */
  discard({ stream }: FileNode): void {
    if (!stream || stream.isDiscarded) return
    this.#discarding.push(stream.discard())
    this.#active.delete(stream)
  }

  /** Nothing of a stored file is in memory. */
  ended(stream: FileStream): void {
    this.#active.delete(stream)
  }

  /** Waits until nothing is left of discarded files. */
  async settle(): Promise<void> {
    await Promise.all(this.#discarding)
  }

  #partLeft(): undefined | Promise<void> {
    const parts = [...this.#active].flatMap((stream) => stream.partLeft() ?? [])
    return parts.length > 0 ? Promise.race(parts) : undefined
  }
}

/** Alone on its file, in the mode `w`, and always at the end. */
function isForward({ node, flags, position, hasSought }: OpenHandle): boolean {
  const isWriteOnly = flags.write && flags.truncate && !flags.read && !flags.append
  return Boolean(isWriteOnly) && !hasSought && node.handles === 1 && position === node.size
}
