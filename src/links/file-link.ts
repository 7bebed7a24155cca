/** The address of a short link, as people and models copy it. */
import type { FolderPath } from '../files/path.ts'
import { percentEncode } from './percent-encode.ts'

/** @param baseUrl Without a slash at its end. */
export function fileLink(baseUrl: string, path: FolderPath, token: string): string {
  // A slash needs no encoding in a query, and whoever reads the link sees where the file lies.
  const readable = path.split('/').map(percentEncode).join('/')
  return `${baseUrl}/files/out?path=${readable}&token=${token}`
}
