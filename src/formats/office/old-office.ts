/** Recognises the container of encrypted and of old Office documents, which is no ZIP archive. */
import { FormatError, type ByteSource } from '../format-host.ts'

const MARK = [0xd0, 0xcf, 0x11, 0xe0]
/** The directory is near the beginning or near the end. */
const SEARCHED_BYTES = 64 * 1024
const ENCRYPTED = new TextEncoder().encode([...'EncryptedPackage'].join('\0'))

/** @throws {FormatError} that says which of them it is. */
export async function assertNoOldOffice(source: ByteSource): Promise<void> {
  const head = await source.read(0, Math.min(source.size, SEARCHED_BYTES))
  if (!MARK.every((byte, i) => head[i] === byte)) return
  const rest = Math.max(head.length, source.size - SEARCHED_BYTES)
  const tail = await source.read(rest, source.size - rest)
  const isEncrypted = [head, tail].some((bytes) => isIn(bytes, ENCRYPTED))
  throw new FormatError(
    isEncrypted
      ? `${source.name}: is encrypted and needs a password`
      : `${source.name}: is of the time before 2007 (.doc, .xls, .ppt); save it in the newer format`,
  )
}

function isIn(bytes: Uint8Array, wanted: Uint8Array): boolean {
  for (let at = bytes.indexOf(wanted[0]!); at !== -1; at = bytes.indexOf(wanted[0]!, at + 1)) {
    if (wanted.every((byte, i) => bytes[at + i] === byte)) return true
  }
  return false
}
