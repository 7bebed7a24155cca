/** Streams what APIs send into a file of the run, within the run's limit on saved bytes. */
import type { Ending } from '../../lib/abort.ts'
import type { SaveTarget } from '../../files/save-target.ts'
import type { ApiHost } from '../../vm/library/library-host.ts'
import { LimitReached } from '../../vm/script-error.ts'
import type { ApiBudget } from '../call/api-budget.ts'
import { ApiError } from '../call/api-error.ts'
import { BadRows } from './json-rows.ts'
import { RowLines, type RowFormat } from './row-lines.ts'

/** For copying them, and for looking for secrets in them. */
const BYTES_PER_FUEL = 2
/** Less is not worth a request. */
const LEAST_ROOM_BYTES = 1024
/** Much less than a part, which takes a request. */
const CHECKED_BYTES = 1_048_576

export interface SaveContext {
  readonly host: ApiHost
  readonly budget: ApiBudget
  readonly ending: Ending
}

/** Made by {@link saveFile}. */
export class SavedFile {
  readonly host: ApiHost
  readonly #context: SaveContext
  readonly #target: SaveTarget
  #bytes = 0
  #refusal: string | undefined
  #checkedBytes = 0
  #isLeft = false

  constructor(context: SaveContext, path: string) {
    this.host = context.host
    this.#context = context
    this.#target = context.host.openSave(path)
  }

  /** Normalised. */
  get path(): string {
    return this.#target.path
  }

  get bytes(): number {
    return this.#bytes
  }

  /** @throws {LimitReached} before a write of this many bytes would. */
  assertRoom(bytes: number): void {
    const { budget } = this.#context
    budget.countSaved(bytes)
    budget.giveSaved(bytes)
    if (bytes > this.#target.roomBytes) throw new LimitReached(this.#refusal ?? 'no room is left')
  }

  /**
   * Takes room at the store for about this many bytes, before it is known how many follow. Without
   * it, {@link assertRoom} tells when what is left is full.
   */
  async makeRoom(bytes: number): Promise<void> {
    while (this.#target.roomBytes < bytes && this.#refusal === undefined) {
      try {
        await this.#target.makeRoom(bytes, LEAST_ROOM_BYTES)
      } catch (error) {
        if (!(error instanceof LimitReached)) throw error
        this.#refusal = error.message
      }
    }
  }

  /** To be called between writes. @throws {LimitReached} while the file can still be completed. */
  assertCanGoOn(): void {
    if (this.#bytes - this.#checkedBytes < CHECKED_BYTES) return
    this.#checkedBytes = this.#bytes
    this.#context.budget.assertCanStore()
  }

  /** @throws {LimitReached} {@link RaisedInLua} */
  async write(piece: Uint8Array): Promise<void> {
    if (piece.length === 0) return
    const { budget, ending, host } = this.#context
    ending.signal.throwIfAborted()
    budget.countSaved(piece.length)
    this.#bytes += piece.length
    await host.work(Math.ceil(piece.length / BYTES_PER_FUEL))
    await this.#target.write(piece)
  }

  /** Nothing is stored: the name keeps the file that it has. */
  leave(): void {
    this.#isLeft = true
  }

  /** A run that has ended must not write files. */
  async close(): Promise<void> {
    this.#context.ending.signal.throwIfAborted()
    await (this.#isLeft ? this.abort(new Error('nothing to store')) : this.#target.close())
  }

  async abort(reason: unknown): Promise<void> {
    this.#context.budget.giveSaved(this.#bytes)
    await this.#target.abort(reason)
  }
}

/** Stores the file if `fill` succeeds and does not leave it, and nothing otherwise. */
export async function saveFile<T>(
  context: SaveContext,
  path: string,
  fill: (file: SavedFile) => Promise<T>,
): Promise<T> {
  const file = new SavedFile(context, path)
  try {
    const filled = await fill(file)
    await file.close()
    return filled
  } catch (error) {
    await file.abort(error)
    throw error
  }
}

/** The whole body, or the rows of an array in it. */
export async function fillFile(
  file: SavedFile,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  rows?: { readonly path: readonly string[]; readonly format: RowFormat },
): Promise<void> {
  const lines = rows && new RowLines(rows.path, rows.format)
  for await (const piece of body) {
    lines?.push(piece)
    if (lines) await file.host.work(lines.takeWork())
    await file.write(lines ? lines.take() : piece)
    file.assertCanGoOn()
  }
  lines?.end()
}

/** Errors in the rows are errors of the API. */
export async function namingRows<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof BadRows)) throw error
    throw new ApiError('invalid_answer', `${name}: ${error.message}`)
  }
}
