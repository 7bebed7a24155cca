/** Text that can be edited and stored again without changing anything else. */
import type { Content } from '../service/client.ts'

/** A text field has no other line ends than `\n`: these are put back. */
export interface FileText {
  /** With `\n` only. */
  readonly text: string
  readonly lineEnd: '\n' | '\r\n'
  /** The version that was read; `null` for a file that is not stored yet. */
  readonly etag: string | null
}

const MAX_EDITED_BYTES = 1024 * 1024

/** `undefined` if editing would change more than the edit: not UTF-8, mixed line ends, too long. */
export function findLines({ bytes, totalBytes, etag }: Content): FileText | undefined {
  if (bytes.length < totalBytes || totalBytes > MAX_EDITED_BYTES || bytes.includes(0))
    return undefined
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
  if (!text.includes('\r')) return { text, lineEnd: '\n', etag }
  if (/\r(?!\n)|(?<!\r)\n/.test(text)) return undefined
  return { text: text.replaceAll('\r\n', '\n'), lineEnd: '\r\n', etag }
}

export function toBlob(text: string, { lineEnd }: FileText): Blob {
  return new Blob([text.replaceAll('\n', lineEnd)])
}
