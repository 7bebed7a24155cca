/** Lists the folder of a short link, with a token for each entry. */
import { AppError } from '../../errors.ts'
import { parseFolder, type FolderPath, type VirtualPath } from '../../files/path.ts'
import { signLink } from '../../links/link-token.ts'
import type { CallerFiles } from '../caller-files.ts'
import type { FileEntry, ListPosition } from '../../files/store/list-area.ts'
import { openLinked, type LinkDeps } from './open-linked.ts'
import type { OpenLinkInput } from './open-link.ts'

const PAGE_ENTRIES = 1000

export interface LinkedEntry extends FileEntry {
  /** Expires with the page's; absent for names that are not valid paths. */
  readonly token?: string | undefined
}

/** One page of a folder. */
export interface OpenedFolder {
  readonly path: FolderPath
  /** Folders first, then files, each sorted by name. */
  readonly entries: readonly LinkedEntry[]
  readonly isStart: boolean
  /** The `after` of the next page, if any. */
  readonly next?: string | undefined
  readonly expiresAt: Date
}

/** Taken from the URL. */
export interface OpenFolderInput extends OpenLinkInput {
  /** The last name on the previous page, with a slash for a folder; absent for the first page. */
  readonly after?: string | undefined
}

/**
 * Sorted by name across pages; folders come first only within a page.
 *
 * @throws {AppError} `invalid_path`, `forbidden`, `rate_limited`, `malformed`, `not_found` or
 * `storage_unavailable`.
 */
export async function openFolder(
  deps: LinkDeps,
  { path: raw, token, after, signal }: OpenFolderInput,
): Promise<OpenedFolder> {
  const path = parseFolder(raw, deps.paths)
  const linked = await openLinked(deps, { purpose: 'list', path, token, signal })
  const { files, owner, expiresAt, issuedAt } = linked

  const { found, next } = await pageOf(files, path, after)
  if (found.length === 0 && (await files.typeOf(path)) !== 'folder') {
    throw new AppError('not_found', 'There is no folder of this name.')
  }
  const sorted = [
    ...found.filter((entry) => entry.type === 'folder'),
    ...found.filter((entry) => entry.type === 'file'),
  ]
  const sign = async (entry: FileEntry): Promise<LinkedEntry> => {
    // Other programs may have stored keys that are not valid paths.
    if (!files.canSpell(entry.path)) return entry
    const purpose = entry.type === 'folder' ? 'list' : 'get'
    // The page's own times: its links must not outlive it.
    const claims = { purpose, owner, path: entry.path, expiresAt, issuedAt } as const
    return { ...entry, token: await signLink(deps.linkSecrets, claims) }
  }
  const entries = await Promise.all(sorted.map(sign))
  return { path, entries, isStart: after === undefined, next, expiresAt }
}

/** The store resumes after a name, so the last page costs no more than the first. */
async function pageOf(files: CallerFiles, folder: FolderPath, after: string | undefined) {
  const startAfter = after === undefined ? undefined : positionAfter(folder, after)
  const found: FileEntry[] = []
  for await (const entry of files.list(folder, { startAfter })) {
    if (found.length === PAGE_ENTRIES) return { found, next: nameAfter(found.at(-1)!) }
    found.push(entry)
  }
  return { found }
}

function nameAfter({ path, type }: FileEntry): string {
  return path.slice(path.lastIndexOf('/') + 1) + (type === 'folder' ? '/' : '')
}

/** The entry need not exist: it is only a position. */
function positionAfter(folder: FolderPath, after: string): ListPosition {
  const [, name, slash] = /^([^/\0]{1,1024})(\/?)$/.exec(after) ?? []
  if (name === undefined) {
    throw new AppError('malformed', 'A page of a folder begins after the name of an entry.')
  }
  const path = (folder === '' ? name : `${folder}/${name}`) as VirtualPath
  return { path, type: slash ? 'folder' : 'file' }
}
