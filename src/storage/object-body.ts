/** Lengths and copies of chunked bodies. */
import type { ObjectBody } from './driver.ts'

/** Without copying. */
export function chunksOf(body: ObjectBody): readonly Uint8Array[] {
  return body instanceof Uint8Array ? [body] : body
}

export function byteLengthOf(body: ObjectBody): number {
  return chunksOf(body).reduce((bytes, chunk) => bytes + chunk.length, 0)
}

/** Always a copy: the caller may change the body. */
export function copyOf(body: ObjectBody): Uint8Array {
  const copy = new Uint8Array(byteLengthOf(body))
  let at = 0
  for (const chunk of chunksOf(body)) {
    copy.set(chunk, at)
    at += chunk.length
  }
  return copy
}
