/** Maps tenant, user and path to an object key; nothing else may. */
import { keySegment } from './key-segment.ts'
import type { FolderPath, VirtualPath } from '../path.ts'

/**
 * A tenant and, within it, a user, the companion app, or the default for callers without a user.
 */
export interface AreaOwner {
  readonly tenant: string
  readonly kind: 'user' | 'companion' | 'default'
  /** Empty unless `kind` is `user`. */
  readonly user: string
}

/** Bucket layout of this installation. */
export interface AreaLayout {
  /** Prepended to every key: empty, or ending in `/`. */
  readonly keyPrefix: string
  /** The folder shared by all callers of a tenant; `undefined` only where there are no areas. */
  readonly sharedDir: VirtualPath | undefined
}

export interface AreaKeys {
  readonly sharedDir: VirtualPath | undefined
  /** The root gives an empty prefix or one ending in `/`; other paths a key without that slash. */
  keyFor(path: FolderPath): string
}

/** The files one caller can address: its own and those shared within its tenant. */
export interface Area extends AreaKeys {
  readonly owner: AreaOwner
}

/** Keys of a tenant's used upload links: beside its areas, so no path can reach them. */
export async function openUsedLinks(tenant: string, { keyPrefix }: AreaLayout): Promise<AreaKeys> {
  const prefix = `${keyPrefix}${await keySegment(tenant)}/used-links/`
  return { sharedDir: undefined, keyFor: (path) => prefix + path }
}

/**
 * Every prefix ends in `/`: otherwise listing `acme` would include `acme2`. Without a shared folder
 * there is a single owner, and paths are used as keys unchanged.
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
