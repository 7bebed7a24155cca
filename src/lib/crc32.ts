/** The checksum of ZIP, gzip and PNG. */

/** By the low byte of the sum so far, in four tables: four bytes are taken at a time. */
const TABLES = tables()

/** @param crc Of the bytes before these. */
export function crc32(bytes: Uint8Array, crc = 0): number {
  const [first, second, third, fourth] = TABLES
  let sum = ~crc
  let at = 0
  for (const end = bytes.length - 3; at < end; at += 4) {
    sum ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    sum =
      fourth[sum & 255]! ^
      third[(sum >>> 8) & 255]! ^
      second[(sum >>> 16) & 255]! ^
      first[sum >>> 24]!
  }
  for (; at < bytes.length; at++) sum = first[(sum ^ bytes[at]!) & 255]! ^ (sum >>> 8)
  return ~sum >>> 0
}

function tables(): readonly [Int32Array, Int32Array, Int32Array, Int32Array] {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
    return sum
  })
  const after = (table: Int32Array) => table.map((sum) => first[sum & 255]! ^ (sum >>> 8))
  const second = after(first)
  const third = after(second)
  return [first, second, third, after(third)]
}
