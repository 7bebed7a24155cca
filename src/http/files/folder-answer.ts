/** A linked folder as an HTML page or JSON, with the same entries and links. */
import { fileLink, folderLink } from '../../links/file-link.ts'
import type { LinkedEntry, OpenedFolder } from '../../operations/links/open-link.ts'
import { timestamp } from '../../operations/timestamp.ts'
import { folderPage } from '../pages/folder-page.ts'

/** @param token Of the folder itself; also used for its other pages. */
export function folderHtml(folder: OpenedFolder, token: string): string {
  const { path, isStart, next } = folder
  // Relative links work under any base URL.
  return folderPage({
    path,
    rows: folder.entries.map((entry) => ({
      name: nameOf(entry),
      type: entry.type,
      bytes: entry.bytes,
      modifiedAt: entry.modifiedAt,
      href: queryOf(linkTo(entry, '')),
    })),
    start: isStart ? undefined : queryOf(folderLink('', path, token)),
    next: next === undefined ? undefined : queryOf(folderLink('', path, token, next)),
    expiresAt: folder.expiresAt,
  })
}

/** @param baseUrl Without a trailing slash. */
export function folderJson(folder: OpenedFolder, token: string, baseUrl: string) {
  const { path, next } = folder
  return {
    path,
    entries: folder.entries.map((entry) => ({
      name: nameOf(entry),
      path: entry.path,
      type: entry.type,
      bytes: entry.bytes,
      modified_at: entry.modifiedAt && timestamp(entry.modifiedAt),
      link: linkTo(entry, baseUrl),
    })),
    next: next === undefined ? undefined : folderLink(baseUrl, path, token, next),
    expires_at: timestamp(folder.expiresAt),
  }
}

function linkTo({ path, type, token }: LinkedEntry, baseUrl: string): string | undefined {
  if (token === undefined) return undefined
  return type === 'folder' ? folderLink(baseUrl, path, token) : fileLink(baseUrl, path, token)
}

function nameOf({ path }: LinkedEntry): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function queryOf(link: string | undefined): string | undefined {
  return link?.slice(link.indexOf('?'))
}
