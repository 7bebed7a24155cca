/** Uploads in parts: one growing draft, published by a rename. */
import type { ObjectBody, PartUpload } from '../driver.ts'
import { byteLengthOf, chunksOf, copyOf } from '../object-body.ts'
import { PartList } from '../part-list.ts'
import type { TempFile } from './write.ts'

type Signal = AbortSignal | undefined

type Request = <T>(signal: Signal, work: () => Promise<T>) => Promise<T>

/**
 * Parts are written to their places in the draft, which the size of the first part tells. Parts
 * put before the first are kept in memory.
 */
export function folderUpload(
  draft: TempFile,
  request: Request,
  publish: (signal: Signal) => Promise<string>,
): PartUpload {
  const parts = new PartList<undefined>()
  const early = new Map<number, Uint8Array>()
  let partBytes: number | undefined
  let isOver = false

  async function place(number: number, body: ObjectBody): Promise<void> {
    let position = (number - 1) * partBytes!
    for (const chunk of chunksOf(body)) {
      for (let at = 0; at < chunk.length;) {
        const { bytesWritten } = await draft.handle.write(chunk, at, undefined, position)
        at += bytesWritten
        position += bytesWritten
      }
    }
  }

  function assertOpen(): void {
    if (isOver) throw new Error('the upload is over')
  }

  return {
    putPart: (number, body, { signal } = {}) =>
      request(signal, async () => {
        assertOpen()
        if (number === 1) partBytes = byteLengthOf(body)
        if (partBytes === undefined) early.set(number, copyOf(body))
        else {
          early.delete(number)
          await place(number, body)
        }
        parts.add(number, byteLengthOf(body), undefined)
      }),

    complete: ({ signal } = {}) =>
      request(signal, async () => {
        assertOpen()
        parts.all()
        for (const [number, body] of early) await place(number, body)
        early.clear()
        // A part put again may be shorter.
        await draft.handle.truncate(parts.bytes)
        const etag = await publish(signal)
        isOver = true
        await draft.discard()
        return { etag }
      }),

    abort: () =>
      request(undefined, async () => {
        if (isOver) return
        isOver = true
        early.clear()
        await draft.discard()
      }),
  }
}
