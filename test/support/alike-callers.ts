/** Tenant and user names that could be confused with each other, for isolation tests. */
import { keySegment, type AreaOwner } from '../../src/files/store/area.ts'
import type { Claims } from './make-app.ts'

/** Folder names of the key layout, and names that lead out of a folder. */
export const FOLDER_NAMES = [
  'share',
  'users',
  'default',
  'companion',
  'used-links',
  '.',
  '..',
  '/',
  '\0',
]

/** The name and its lookalikes. */
export function namesLike(name: string): string[] {
  return [
    name,
    `${name}2`,
    name.slice(0, -1),
    name.toUpperCase(),
    ...['/', '/users', '/users/alice', '/..', '\0', '\n', ' ', '\u200b'].map((end) => name + end),
    ...['../', './', '/', ' ', '\ufeff'].map((start) => start + name),
    ...['.b', '_b', '-b', '--b', '_--b', '\\b', '%2Fb'].map((end) => name + end),
    // Letters that look the same.
    ...['\u00e9', 'e\u0301', '\u0430', '\uff41'].map((letter) => letter + name),
    ...[64, 65, 66, 256].map((length) => name.padEnd(length, 'x')),
  ]
}

/** Adds the key segment of each name: a caller with that name must get another segment. */
export async function withSegments(names: readonly string[]): Promise<string[]> {
  return [...new Set([...names, ...(await Promise.all(names.map(keySegment)))])]
}

/** Tenant names an attacker would choose, given the victim's. */
export async function tenantsLike(tenant: string): Promise<string[]> {
  return [
    `${tenant}2`,
    tenant.slice(0, -1),
    tenant.replace('.', '_'),
    `${tenant}/users`,
    `\ufeff${tenant}`,
    await keySegment(tenant),
  ]
}

/** A user, then distinct callers that could be confused with it. */
export async function callersLike(tenant: string, user: string): Promise<AreaOwner[]> {
  const userOf = (ofTenant: string, name: string): AreaOwner => ({
    tenant: ofTenant,
    kind: 'user',
    user: name,
  })
  const all: AreaOwner[] = [
    userOf(tenant, user),
    userOf(tenant, `${user}.`),
    userOf(tenant, `${user}/folder`),
    userOf(tenant, user.replace('.', '_')),
    userOf(tenant, await keySegment(user)),
    { tenant, kind: 'default', user: '' },
    { tenant, kind: 'companion', user: '' },
    ...(await tenantsLike(tenant)).map((stranger) => userOf(stranger, user)),
    // The same text, if tenant and user were simply concatenated.
    userOf(tenant, `2${user}`),
    userOf(tenant + user.slice(0, 1), user.slice(1)),
    userOf(tenant.slice(0, -1), tenant.slice(-1) + user),
    { tenant: tenant + user, kind: 'default', user: '' },
    { tenant: tenant + user, kind: 'companion', user: '' },
  ]
  // Plain names are their own segments, hence duplicates.
  return [...new Map(all.map((owner) => [JSON.stringify(owner), owner])).values()]
}

export function claimsOf({ tenant, kind, user }: AreaOwner): Claims {
  const sub = { user, companion: 'companion', default: undefined }[kind]
  return { tenant, sub }
}

/**
 * Contains a dot, so that its segment is encoded and could be guessed. Unique, because stores
 * outlive tests.
 */
export function newTenant(): string {
  return `t.${crypto.randomUUID()}`
}
