/** Builds the URLs of short links, and the header that names a file. */
import type { FolderPath, VirtualPath } from '../files/path.ts'
import { percentEncode } from '../lib/encode.ts'

/** @param baseUrl Without a trailing slash. */
export function fileLink(baseUrl: string, path: FolderPath, token: string): string {
  return `${baseUrl}/files/out?path=${readable(path)}&token=${token}`
}

/**
 * A trailing slash marks a folder; the root is an empty path.
 *
 * @param after The last name on the previous page.
 */
export function folderLink(
  baseUrl: string,
  folder: FolderPath,
  token: string,
  after?: string,
): string {
  const slash = folder === '' ? '' : '/'
  const page = after === undefined ? '' : `&after=${readable(after)}`
  return `${baseUrl}/files/out?path=${readable(folder)}${slash}&token=${token}${page}`
}

export function uploadLink(baseUrl: string, path: VirtualPath, token: string): string {
  return `${baseUrl}/files/in?path=${readable(path)}&token=${token}`
}

/** A trailing slash marks a folder; the root is `./`. */
export function dropLink(baseUrl: string, folder: FolderPath, token: string): string {
  return `${baseUrl}/files/in?path=${readable(folder || '.')}/&token=${token}`
}

/** Whether a raw path denotes a folder, such as by a trailing slash. */
export function isFolderAddress(path: string): boolean {
  return /(?:^|\/)\.?$/.test(path)
}

/** Keeps slashes, which a query allows; encodes `~`, which chat clients read as formatting. */
function readable(path: string): string {
  return path.split('/').map(percentEncode).join('/').replaceAll('~', '%7E')
}

/** Current clients read `filename*`; the ASCII `filename` is a fallback. */
export function contentDisposition(type: 'inline' | 'attachment', path: string): string {
  const name = lastSegment(path)
  // Replaced, not escaped: clients disagree about backslashes, and some decode percent-encoding.
  const plain = name.replaceAll(/[^ -~]|["\\]|%(?=[\da-fA-F]{2})/gu, '_')
  return `${type}; filename="${plain}"; filename*=UTF-8''${percentEncode(name)}`
}

/** The name of a file or folder; empty for the root. */
export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
