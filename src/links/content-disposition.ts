/** How a file asks to be treated when it is opened: shown or saved, and under which name. */
import { percentEncode } from '../lib/encode.ts'

/** The value of `Content-Disposition` for the file at this path; every current client reads `filename*`. */
export function contentDisposition(type: 'inline' | 'attachment', path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  // Replaced, not escaped: clients disagree about backslashes, and some decode what looks percent-encoded.
  const plain = name.replaceAll(/[^ -~]|["\\]|%(?=[\da-fA-F]{2})/gu, '_')
  return `${type}; filename="${plain}"; filename*=UTF-8''${percentEncode(name)}`
}
