/** Builds the `Content-Disposition` header. */
import { percentEncode } from '../lib/encode.ts'

/** Current clients read `filename*`; the ASCII `filename` is a fallback. */
export function contentDisposition(type: 'inline' | 'attachment', path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  // Replaced, not escaped: clients disagree about backslashes, and some decode percent-encoding.
  const plain = name.replaceAll(/[^ -~]|["\\]|%(?=[\da-fA-F]{2})/gu, '_')
  return `${type}; filename="${plain}"; filename*=UTF-8''${percentEncode(name)}`
}
