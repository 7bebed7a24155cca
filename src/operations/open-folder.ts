/** Lists the folder a short link stands for, with a token for each entry. */
import { AppError } from '../errors.ts'
import { openArea } from '../files/area.ts'
import { parseFolder, parsePath, type FolderPath, type PathRules } from '../files/path.ts'
import { signLink, verifyLink } from '../links/link-token.ts'
import { CallerFiles } from './caller-files.ts'
import type { FileEntry } from './list-area.ts'
import type { OpenLinkDeps } from './open-link.ts'

/** How many entries a page has at most. */
export const PAGE_ENTRIES = 1000
/** A listing starts from the beginning for each page: those far out cost more than anybody reads. */
const MAX_PAGE = 1000

/** One entry, with what its own link needs. */
export interface LinkedEntry extends FileEntry {
  /** Ends when the page's does; absent for names that no path can spell. */
  readonly token?: string | undefined
}

/** A part of what a folder holds. */
export interface OpenedFolder {
  readonly path: FolderPath
  /** Folders first, both in the order of their names. */
  readonly entries: readonly LinkedEntry[]
  readonly page: number
  readonly hasNext: boolean
  readonly expiresAt: Date
}

/** As it stands in the address; the first page is 1. */
export interface OpenFolderInput {
  readonly path: string
  readonly token: string
  readonly page?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Names follow each other across pages; on each page folders come first.
 *
 * @throws {AppError} `invalid_path`, `forbidden`, `not_found` or `storage_unavailable`.
 */
export async function openFolder(
  { storage, layout, paths, linkSecrets, now }: OpenLinkDeps,
  { path: raw, token, page = 1, signal = new AbortController().signal }: OpenFolderInput,
): Promise<OpenedFolder> {
  const path = parseFolder(raw, paths)
  const expected = { purpose: 'list', path } as const
  const { owner, expiresAt } = await verifyLink(linkSecrets, token, expected, now())
  const area = await openArea(owner, layout)
  const files = new CallerFiles({ storage, area, paths, maxDepth: Infinity, signal })

  const { found, hasNext } = await pageOf(files, path, page)
  const missing = page > 1 ? 'The folder has no such page.' : 'There is no folder of this name.'
  if (found.length === 0 && (page > 1 || (await files.typeOf(path)) !== 'folder')) {
    throw new AppError('not_found', missing)
  }
  const sorted = [
    ...found.filter((entry) => entry.type === 'folder'),
    ...found.filter((entry) => entry.type === 'file'),
  ]
  const sign = async (entry: FileEntry): Promise<LinkedEntry> => {
    if (!isOpenable(entry.path, paths)) return entry
    const purpose = entry.type === 'folder' ? 'list' : 'get'
    const claims = { purpose, owner, path: entry.path, expiresAt } as const
    return { ...entry, token: await signLink(linkSecrets, claims) }
  }
  return { path, entries: await Promise.all(sorted.map(sign)), page, hasNext, expiresAt }
}

async function pageOf(files: CallerFiles, path: FolderPath, page: number) {
  const found: FileEntry[] = []
  const first = (page - 1) * PAGE_ENTRIES
  let at = 0
  if (page > MAX_PAGE) return { found, hasNext: false }
  for await (const entry of files.list(path)) {
    if (at === first + PAGE_ENTRIES) return { found, hasNext: page < MAX_PAGE }
    if (at >= first) found.push(entry)
    at++
  }
  return { found, hasNext: false }
}

/** Other programs may have put names into the bucket that no path can spell. */
function isOpenable(path: string, rules: PathRules): boolean {
  try {
    return parsePath(path, rules) === path
  } catch {
    return false
  }
}
