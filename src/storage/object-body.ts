/** Bodies as drivers need them: their length, and their bytes in one piece where a store takes no list. */
import type { ObjectBody } from './driver.ts'

/** The body as a list, without copying. */
export function chunksOf(body: ObjectBody): readonly Uint8Array[] {
  return body instanceof Uint8Array ? [body] : body
}

/** The length of the object the body will make. */
export function byteLengthOf(body: ObjectBody): number {
  return chunksOf(body).reduce((bytes, chunk) => bytes + chunk.length, 0)
}

/** Always a copy, so that it may be kept while the caller goes on changing the body. */
export function copyOf(body: ObjectBody): Uint8Array {
  const copy = new Uint8Array(byteLengthOf(body))
  let at = 0
  for (const chunk of chunksOf(body)) {
    copy.set(chunk, at)
    at += chunk.length
  }
  return copy
}
