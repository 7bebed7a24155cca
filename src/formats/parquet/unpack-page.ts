/** Unpacks the pages of columns, never into more than their headers and the limits allow. */
import { gunzipSync } from 'fflate'
import { snappyUncompress, type CompressionCodec, type Compressors } from 'hyparquet'
import { FormatError } from '../format-host.ts'

export type PageUnpacker = (packed: Uint8Array, bytes: number) => Uint8Array

/** @throws {FormatError} if the codec is not known. */
export function unpackPage(codec: CompressionCodec | undefined, maxBytes: number): PageUnpacker {
  if (codec === 'UNCOMPRESSED') return (packed) => packed
  const unpack = unpackers(maxBytes)[codec as CompressionCodec]
  if (unpack) return unpack
  const name = codec ?? 'an unknown codec'
  throw new FormatError(`is compressed with ${name}; uncompressed, Snappy and GZIP are read`)
}

/** As hyparquet takes them. */
export function unpackers(maxBytes: number): Compressors {
  const output = (bytes: number) => {
    if (bytes >= 0 && bytes <= maxBytes) return new Uint8Array(bytes)
    throw new FormatError('unpacks to more than may be read')
  }
  return {
    SNAPPY(packed, bytes) {
      const page = output(bytes)
      snappyUncompress(packed, page)
      return page
    },
    // Writes no further than the output reaches.
    GZIP: (packed, bytes) => gunzipSync(packed, { out: output(bytes) }),
  }
}
