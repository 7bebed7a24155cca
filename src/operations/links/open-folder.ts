/** Lists the folder a short link stands for, with a token for each entry. */
import { AppError } from '../../errors.ts'
import { parseFolder, type FolderPath, type VirtualPath } from '../../files/path.ts'
import { signLink } from '../../links/link-token.ts'
import type { CallerFiles } from '../caller-files.ts'
import { openLinked, type LinkDeps } from '../open-linked.ts'
import type { FileEntry, ListPosition } from '../../files/list-area.ts'
import type { OpenLinkInput } from './open-link.ts'

/** How many entries a page has at most. */
const PAGE_ENTRIES = 1000

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
  readonly isStart: boolean
  /** The `after` of the next page, if there is one. */
  readonly next?: string | undefined
  readonly expiresAt: Date
}

/** As it stands in the address. */
export interface OpenFolderInput extends OpenLinkInput {
  /** The last name of the page before, a folder's with a slash; absent for the first page. */
  readonly after?: string | undefined
}

/**
 * Names follow each other across pages; on each page folders come first.
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
    // Other programs may have put names into the bucket that no path can spell.
    if (!files.canSpell(entry.path)) return entry
    const purpose = entry.type === 'folder' ? 'list' : 'get'
    // The page's own times: what ends or revokes the page also ends what it led to.
    const claims = { purpose, owner, path: entry.path, expiresAt, issuedAt } as const
    return { ...entry, token: await signLink(deps.linkSecrets, claims) }
  }
  const entries = await Promise.all(sorted.map(sign))
  return { path, entries, isStart: after === undefined, next, expiresAt }
}

/** The store itself goes on after a name, so the last page costs no more than the first. */
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

/** Any name will do, whether or not there ever was such an entry: it only says where to go on. */
function positionAfter(folder: FolderPath, after: string): ListPosition {
  const [, name, slash] = /^([^/\0]{1,1024})(\/?)$/.exec(after) ?? []
  if (name === undefined) {
    throw new AppError('malformed', 'A page of a folder begins after the name of an entry.')
  }
  const path = (folder === '' ? name : `${folder}/${name}`) as VirtualPath
  return { path, type: slash ? 'folder' : 'file' }
}
