/** A folder behind a link, as a page for people and as JSON for programs: the same entries, the same links. */
import { fileLink, folderLink } from '../links/file-link.ts'
import type { LinkedEntry, OpenedFolder } from '../operations/open-folder.ts'
import { folderPage } from './pages/folder-page.ts'

/** @param token Of the folder itself: its other pages have the same. */
export function folderHtml(folder: OpenedFolder, token: string): string {
  // Relative, so that they work under whatever address the page was opened.
  const { previous, next } = pagesOf(folder, token, '')
  return folderPage({
    path: folder.path,
    rows: folder.entries.map((entry) => ({
      name: nameOf(entry),
      type: entry.type,
      bytes: entry.bytes,
      modifiedAt: entry.modifiedAt,
      href: queryOf(linkTo(entry, '')),
    })),
    page: folder.page,
    previous: queryOf(previous),
    next: queryOf(next),
    expiresAt: folder.expiresAt,
  })
}

/** @param baseUrl Without a slash at its end. */
export function folderJson(folder: OpenedFolder, token: string, baseUrl: string) {
  return {
    path: folder.path,
    entries: folder.entries.map((entry) => ({
      name: nameOf(entry),
      path: entry.path,
      type: entry.type,
      bytes: entry.bytes,
      modified_at: entry.modifiedAt?.toISOString(),
      link: linkTo(entry, baseUrl),
    })),
    page: folder.page,
    ...pagesOf(folder, token, baseUrl),
    expires_at: folder.expiresAt.toISOString(),
  }
}

function linkTo({ path, type, token }: LinkedEntry, baseUrl: string): string | undefined {
  if (token === undefined) return undefined
  return type === 'folder' ? folderLink(baseUrl, path, token) : fileLink(baseUrl, path, token)
}

function pagesOf({ path, page, hasNext }: OpenedFolder, token: string, baseUrl: string) {
  const link = folderLink(baseUrl, path, token)
  const pageLink = (number: number) => (number === 1 ? link : `${link}&page=${number}`)
  return {
    previous: page > 1 ? pageLink(page - 1) : undefined,
    next: hasNext ? pageLink(page + 1) : undefined,
  }
}

function nameOf({ path }: LinkedEntry): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function queryOf(link: string | undefined): string | undefined {
  return link?.slice(link.indexOf('?'))
}
