/** Whose files are whose: the only place where a tenant, a user and a path become an object key. */
import { keySegment } from './key-segment.ts'
import type { FolderPath, VirtualPath } from './path.ts'

/** A tenant and, inside it, one user, the companion app, or all who are nobody in particular. */
export interface AreaOwner {
  readonly tenant: string
  readonly kind: 'user' | 'companion' | 'default'
  /** Empty unless `kind` is `user`. */
  readonly user: string
}

/** How this installation lays out its bucket. */
export interface AreaLayout {
  /** In front of every key: empty, or ending in `/`. */
  readonly keyPrefix: string
  /** The folder every caller of a tenant sees as the same one; `undefined` only where there are no areas. */
  readonly sharedDir: VirtualPath | undefined
}

/** How paths become keys. */
export interface AreaKeys {
  readonly sharedDir: VirtualPath | undefined
  /** For the root a prefix that is empty or ends in `/`, for all else a key without one at its end. */
  keyFor(path: FolderPath): string
}

/** The files one caller can name: its own, and those its tenant shares. */
export interface Area extends AreaKeys {
  readonly owner: AreaOwner
}

/** Where a tenant's used upload links are remembered: beside its areas, so that no path leads there. */
export async function openUsedLinks(tenant: string, { keyPrefix }: AreaLayout): Promise<AreaKeys> {
  const prefix = `${keyPrefix}${await keySegment(tenant)}/used-links/`
  return { sharedDir: undefined, keyFor: (path) => prefix + path }
}

/**
 * Every prefix ends in `/`: else listing `acme` would also give what belongs to `acme2`. Without a shared
 * folder there is one owner of everything, and paths are keys as they are.
 */
export async function openArea(owner: AreaOwner, layout: AreaLayout): Promise<Area> {
  const { keyPrefix, sharedDir } = layout
  if (sharedDir === undefined) return { owner, sharedDir, keyFor: (path) => keyPrefix + path }
  const tenant = `${keyPrefix}${await keySegment(owner.tenant)}/`
  const own = `${tenant}${await ownFolder(owner)}/`
  const shared = `${tenant}share`
  return {
    owner,
    sharedDir,
    keyFor(path) {
      if (path === sharedDir) return shared
      return path.startsWith(`${sharedDir}/`)
        ? `${shared}${path.slice(sharedDir.length)}`
        : `${own}${path}`
    },
  }
}

async function ownFolder({ kind, user }: AreaOwner): Promise<string> {
  return kind === 'user' ? `users/${await keySegment(user)}` : kind
}
