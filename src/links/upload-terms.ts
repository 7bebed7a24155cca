/**
 * What an upload link takes, as its token carries it.
 *
 * Its bytes: nonce (8), most bytes (5), content type (the rest, ASCII).
 */
import { fromHex, toHex } from '../lib/encode.ts'

/** Laid down by whoever made the link; the uploader cannot change any of it. */
export interface UploadTerms {
  /** Tells this link from every other one to the same path; hex. */
  readonly nonce: string
  readonly maxBytes: number
  /** The only type the upload may claim to be, without parameters; absent allows any. */
  readonly contentType?: string | undefined
}

const NONCE_BYTES = 8
const SIZE_BYTES = 5
/** More than any registered type has, and room enough in a token. */
export const MAX_TYPE_LENGTH = 127

/** The largest size a link can allow. */
export const MAX_TERMS_SIZE = 2 ** (8 * SIZE_BYTES) - 1

/** For a link that nobody has had before. */
export function newNonce(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)))
}

/** @throws {RangeError} for terms that do not fit. */
export function writeTerms({ nonce, maxBytes, contentType = '' }: UploadTerms): Uint8Array {
  const isSize = Number.isInteger(maxBytes) && maxBytes >= 0 && maxBytes <= MAX_TERMS_SIZE
  if (!isSize || contentType.length > MAX_TYPE_LENGTH) throw new RangeError('terms do not fit')
  const size = Array.from({ length: SIZE_BYTES }, (_, i) => {
    return Math.floor(maxBytes / 256 ** (SIZE_BYTES - 1 - i)) % 256
  })
  return Uint8Array.from([...fromHex(nonce)!, ...size, ...new TextEncoder().encode(contentType)])
}

/** Only for what {@link writeTerms} wrote. */
export function readTerms(bytes: Uint8Array): UploadTerms {
  const size = bytes.subarray(NONCE_BYTES, NONCE_BYTES + SIZE_BYTES)
  const contentType = new TextDecoder().decode(bytes.subarray(NONCE_BYTES + SIZE_BYTES))
  return {
    nonce: toHex(bytes.subarray(0, NONCE_BYTES)),
    maxBytes: size.reduce((sum, byte) => sum * 256 + byte, 0),
    ...(contentType !== '' && { contentType }),
  }
}
