/** Maps tenant, user and path to an object key; nothing else may. */
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
  /** The path of a key; `undefined` if no path leads there. */
  pathOf(key: string): string | undefined
}

/** Keys of a tenant's used upload links: beside its areas, so no path can reach them. */
export async function openUsedLinks(tenant: string, { keyPrefix }: AreaLayout): Promise<AreaKeys> {
  const prefix = `${keyPrefix}${await keySegment(tenant)}/used-links/`
  return { sharedDir: undefined, keyFor: (path) => prefix + path }
}

/** Keys of what a tenant has used: beside its areas, so no path can reach them. */
export async function openUsage(tenant: string, { keyPrefix }: AreaLayout): Promise<AreaKeys> {
  const prefix = `${keyPrefix}${await keySegment(tenant)}/usage/`
  return { sharedDir: undefined, keyFor: (path) => prefix + path }
}

/** Prefixes of everything that the callers of a tenant stored, and of nothing else. */
export async function areaPrefixes(
  tenant: string,
  { keyPrefix }: AreaLayout,
): Promise<readonly string[]> {
  const own = `${keyPrefix}${await keySegment(tenant)}/`
  return ['companion', 'default', 'share', 'users'].map((folder) => `${own}${folder}/`)
}

/** Keys of the marks that revoke a tenant's links: beside its areas, so no path can reach them. */
export async function openRevokedLinks(
  tenant: string,
  { keyPrefix }: AreaLayout,
): Promise<AreaKeys> {
  const prefix = `${keyPrefix}${await keySegment(tenant)}/revoked-links/`
  return { sharedDir: undefined, keyFor: (path) => prefix + path }
}

/**
 * Keys of a tenant's audit events: beside its areas, so no path can reach them.
 *
 * @param tenant Its segment.
 */
export function openAudit(tenant: string, { keyPrefix }: AreaLayout): AreaKeys {
  const prefix = `${keyPrefix}${tenant}/audit/`
  return { sharedDir: undefined, keyFor: (path) => prefix + path }
}

/** The owner of runs as key segments: how a message names it. */
export interface RunPlace {
  readonly tenant: string
  /** `users/<segment>`, `companion` or `default`. */
  readonly folder: string
}

export async function runPlace(owner: AreaOwner): Promise<RunPlace> {
  return { tenant: await keySegment(owner.tenant), folder: await ownFolder(owner) }
}

/** Keys of an owner's runs: beside the areas, so no path can reach them. */
export function openRuns({ tenant, folder }: RunPlace, { keyPrefix }: AreaLayout): AreaKeys {
  const prefix = `${keyPrefix}${tenant}/runs/${folder}/`
  return { sharedDir: undefined, keyFor: (path) => prefix + path }
}

/** Keys of the marks of all unfinished runs of a tenant. No owner's folder has this name. */
export function openActiveRuns(tenant: string, { keyPrefix }: AreaLayout): AreaKeys {
  const prefix = `${keyPrefix}${tenant}/runs/active/`
  return { sharedDir: undefined, keyFor: (path) => prefix + path }
}

/** Keys of the sweep's own notes. No tenant's segment begins with a dot. */
export function openSweep({ keyPrefix }: AreaLayout): AreaKeys {
  return { sharedDir: undefined, keyFor: (path) => `${keyPrefix}.sweep/${path}` }
}

/** Keys of API keys by their hash. No tenant's segment begins with a dot. */
export function openApiKeys({ keyPrefix }: AreaLayout): AreaKeys {
  return { sharedDir: undefined, keyFor: (path) => `${keyPrefix}.keys/hashes/${path}` }
}

/**
 * Keys of a tenant's API keys by their id.
 *
 * @param tenant Its segment.
 */
export function openApiKeysOf(tenant: string, { keyPrefix }: AreaLayout): AreaKeys {
  const prefix = `${keyPrefix}.keys/tenants/${tenant}/`
  return { sharedDir: undefined, keyFor: (path) => prefix + path }
}

/** Keys of what sign-in remembers. */
export function openSignIn({ keyPrefix }: AreaLayout): AreaKeys {
  return { sharedDir: undefined, keyFor: (path) => `${keyPrefix}.sign-in/${path}` }
}

/**
 * Every prefix ends in `/`: otherwise listing `acme` would include `acme2`. Without a shared folder
 * there is a single owner, and paths are used as keys unchanged.
 */
export async function openArea(owner: AreaOwner, layout: AreaLayout): Promise<Area> {
  const { keyPrefix, sharedDir } = layout
  if (sharedDir === undefined) {
    const pathOf = (key: string) => below(keyPrefix, key)
    return { owner, sharedDir, keyFor: (path) => keyPrefix + path, pathOf }
  }
  const tenant = await tenantPrefix(owner.tenant, keyPrefix)
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
    pathOf(key) {
      const inShared = below(`${shared}/`, key)
      return inShared === undefined ? below(own, key) : `${sharedDir}/${inShared}`
    },
  }
}

/** What all keys of a tenant begin with; ends in `/`. */
export async function tenantPrefix(tenant: string, keyPrefix: string): Promise<string> {
  return `${keyPrefix}${await keySegment(tenant)}/`
}

/** A file of an area, as key segments. */
export interface KeyPlace {
  readonly tenant: string
  /** `users/<segment>`, `companion`, `default` or `share`. */
  readonly folder: string
  /** As callers write it. */
  readonly path: string
}

const FILE_KEY =
  /^(?<tenant>[\w-]{1,64})\/(?<folder>users\/[\w-]{1,64}|companion|default|share)\/(?<rest>.*[^/])$/s

/** `undefined` for keys that are no file of an area. */
export function placeOf(key: string, { keyPrefix, sharedDir }: AreaLayout): KeyPlace | undefined {
  const { tenant, folder, rest } = FILE_KEY.exec(below(keyPrefix, key) ?? '')?.groups ?? {}
  if (!tenant || !folder || !rest) return undefined
  return { tenant, folder, path: folder === 'share' ? `${sharedDir}/${rest}` : rest }
}

function below(prefix: string, key: string): string | undefined {
  return key.startsWith(prefix) ? key.slice(prefix.length) : undefined
}

/** `users/<segment>`, `companion` or `default`: below the tenant's segment. */
export async function ownFolder({ kind, user }: AreaOwner): Promise<string> {
  return kind === 'user' ? `users/${await keySegment(user)}` : kind
}

const MAX_LENGTH = 64
const HASH_LENGTH = 26
const SEPARATOR = '--'
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/**
 * Maps untrusted names to object key segments, injectively.
 *
 * Valid segments are kept. Others become a readable stem, `--` and a hash prefix; names containing
 * `--` are hashed too, so a chosen name cannot collide with a derived one.
 */
export async function keySegment(name: string): Promise<string> {
  if (isSegment(name)) return name
  const stem = name.replaceAll(/[^A-Za-z0-9_]+/g, '_')
  const kept = stem.slice(0, MAX_LENGTH - SEPARATOR.length - HASH_LENGTH)
  return `${kept}${SEPARATOR}${await shortHash(name)}`
}

function isSegment(name: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(name) && name.length <= MAX_LENGTH && !name.includes(SEPARATOR)
}

/** 130 bits of SHA-256. Callers must reject lone surrogates: they all encode to U+FFFD. */
async function shortHash(name: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name))
  return base32(new Uint8Array(digest)).slice(0, HASH_LENGTH)
}

function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{5}/g, (five) => BASE32[Number.parseInt(five, 2)]!)
}
