/**
 * The terms of an upload link, as encoded in its token.
 *
 * Layout in bytes: nonce (8), maximum size (5), content type (the rest, ASCII). If the creator's
 * token has quotas, a NUL and both as text follow, such as `1000,20`; after another NUL, how many
 * files a link to a folder takes.
 */
import { fromHex, toHex } from '../lib/encode.ts'
import type { Quotas } from '../quotas.ts'

/** Set by the link's creator and signed: the uploader cannot change them. */
export interface UploadTerms {
  /** Unique per link; hex. */
  readonly nonce: string
  /** Of all files together. */
  readonly maxBytes: number
  /** Only of a link to a folder. */
  readonly maxFiles?: number | undefined
  /** The only `Content-Type` accepted, without parameters; absent allows any. */
  readonly contentType?: string | undefined
  /** Of the token that made the link. */
  readonly quotas?: Pick<Quotas, 'bytes' | 'objects'> | undefined
}

const NONCE_BYTES = 8
const SIZE_BYTES = 5
/** Longer than any registered type, and fits in a token. */
export const MAX_TYPE_LENGTH = 127

/** The largest upload a link can allow. */
export const MAX_TERMS_SIZE = 2 ** (8 * SIZE_BYTES) - 1

export function newNonce(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)))
}

/** @throws {RangeError} for terms that do not fit. */
export function writeTerms(terms: UploadTerms): Uint8Array {
  const { nonce, maxBytes, maxFiles, contentType = '', quotas } = terms
  const isSize = Number.isInteger(maxBytes) && maxBytes >= 0 && maxBytes <= MAX_TERMS_SIZE
  if (!isSize || contentType.length > MAX_TYPE_LENGTH) throw new RangeError('terms do not fit')
  const size = Array.from({ length: SIZE_BYTES }, (_, i) => {
    return Math.floor(maxBytes / 256 ** (SIZE_BYTES - 1 - i)) % 256
  })
  const limits = quotas ? `${quotas.bytes ?? ''},${quotas.objects ?? ''}` : ''
  const fields = [contentType, limits, maxFiles ?? '']
  while (fields.at(-1) === '') fields.pop()
  const rest = new TextEncoder().encode(fields.join('\0'))
  return Uint8Array.from([...fromHex(nonce)!, ...size, ...rest])
}

/** Only for output of {@link writeTerms}. */
export function readTerms(bytes: Uint8Array): UploadTerms {
  const size = bytes.subarray(NONCE_BYTES, NONCE_BYTES + SIZE_BYTES)
  const rest = new TextDecoder().decode(bytes.subarray(NONCE_BYTES + SIZE_BYTES))
  const [contentType, limits, maxFiles] = rest.split('\0')
  const [maxStored, maxObjects] = limits?.split(',') ?? []
  return {
    nonce: toHex(bytes.subarray(0, NONCE_BYTES)),
    maxBytes: size.reduce((sum, byte) => sum * 256 + byte, 0),
    ...(maxFiles && { maxFiles: Number(maxFiles) }),
    ...(contentType && { contentType }),
    ...(limits && {
      quotas: {
        ...(maxStored && { bytes: Number(maxStored) }),
        ...(maxObjects && { objects: Number(maxObjects) }),
      },
    }),
  }
}
