/** The addresses of short links, as people and models copy them. */
import type { FolderPath, VirtualPath } from '../files/path.ts'
import { percentEncode } from '../lib/encode.ts'

/** @param baseUrl Without a slash at its end. */
export function fileLink(baseUrl: string, path: FolderPath, token: string): string {
  return `${baseUrl}/files/out?path=${readable(path)}&token=${token}`
}

/**
 * The slash at the end of its path tells a folder from a file; the root has neither slash nor name.
 *
 * @param after The last name of the page before the one that the link opens.
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

/** Where the bytes of one file are sent to. */
export function uploadLink(baseUrl: string, path: VirtualPath, token: string): string {
  return `${baseUrl}/files/in?path=${readable(path)}&token=${token}`
}

/** Whether a link with this path, as it stands in its address, leads to a folder. */
export function isFolderAddress(path: string): boolean {
  return path === '' || /(?:^|\/)\.?$/.test(path)
}

/**
 * A slash needs no encoding in a query, and whoever reads the link sees where the file lies. Chat
 * clients would read a `~` as formatting.
 */
function readable(path: string): string {
  return path.split('/').map(percentEncode).join('/').replaceAll('~', '%7E')
}
