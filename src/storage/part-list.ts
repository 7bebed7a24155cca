/** What all stores do alike for uploads in parts. */
import { untilAborted } from '../lib/abort.ts'
import type { PartUpload } from './driver.ts'

/**
 * The parts put so far, checked here: some stores join any parts they are given.
 *
 * @typeParam T What the store needs of a part to join it.
 */
export class PartList<T> {
  readonly #parts = new Map<number, { readonly bytes: number; readonly part: T }>()

  /** Replaces the part with this number. */
  add(number: number, bytes: number, part: T): void {
    this.#parts.set(number, { bytes, part })
  }

  /** Of all parts together. */
  get bytes(): number {
    return [...this.#parts.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** In order. @throws if parts are missing, or unequal in size apart from the last. */
  all(): T[] {
    const count = Math.max(1, ...this.#parts.keys())
    const parts: T[] = []
    const partBytes = this.#parts.get(1)?.bytes
    for (let number = 1; number <= count; number++) {
      const found = this.#parts.get(number)
      if (!found) throw new Error(`part ${number} of the upload is missing`)
      const isEqual = found.bytes === partBytes
      if (!isEqual && !(number === count && found.bytes < partBytes!)) {
        throw new Error(`part ${number} of the upload has another size than the first`)
      }
      parts.push(found.part)
    }
    return parts
  }
}

/** An upload whose creator has gone is aborted. */
export async function created(
  signal: AbortSignal | undefined,
  create: () => Promise<PartUpload>,
): Promise<PartUpload> {
  let creating: Promise<PartUpload> | undefined
  try {
    return await untilAborted(signal, () => (creating = create()))
  } catch (error) {
    creating?.then((upload) => upload.abort()).catch(() => undefined)
    throw error
  }
}
