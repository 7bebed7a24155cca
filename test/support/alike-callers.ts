/** Names made to be taken for somebody else's: the one table of all suites in which callers meet. */
import type { AreaOwner } from '../../src/files/area.ts'
import { keySegment } from '../../src/files/key-segment.ts'
import type { Claims } from './make-app.ts'

/** The folders of the layout, and names that lead out of a folder. */
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

/** The name, and what could pass for it. */
export function namesLike(name: string): string[] {
  return [
    name,
    `${name}2`,
    name.slice(0, -1),
    name.toUpperCase(),
    ...['/', '/users', '/users/alice', '/..', '\0', '\n', ' ', '\u200b'].map((end) => name + end),
    ...['../', './', '/', ' ', '\ufeff'].map((start) => start + name),
    ...['.b', '_b', '-b', '--b', '_--b', '\\b', '%2Fb'].map((end) => name + end),
    // The same letters to the eye.
    ...['\u00e9', 'e\u0301', '\u0430', '\uff41'].map((letter) => letter + name),
    ...[64, 65, 66, 256].map((length) => name.padEnd(length, 'x')),
  ]
}

/** With the segment that each becomes: whoever is called that must be somebody else again. */
export async function withSegments(names: readonly string[]): Promise<string[]> {
  return [...new Set([...names, ...(await Promise.all(names.map(keySegment)))])]
}

/** Tenants that an attacker would found, by the victim's name. */
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

/** A user, and then those who could pass for it; all are different. */
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
    // One text, if tenant and user are not kept apart.
    userOf(tenant, `2${user}`),
    userOf(tenant + user.slice(0, 1), user.slice(1)),
    userOf(tenant.slice(0, -1), tenant.slice(-1) + user),
    { tenant: tenant + user, kind: 'default', user: '' },
    { tenant: tenant + user, kind: 'companion', user: '' },
  ]
  // A plain name is its own segment.
  return [...new Map(all.map((owner) => [JSON.stringify(owner), owner])).values()]
}

/** What the token of a caller says. */
export function claimsOf({ tenant, kind, user }: AreaOwner): Claims {
  const sub = { user, companion: 'companion', default: undefined }[kind]
  return { tenant, sub }
}

/** A name like a domain, so that its segment is made and could be guessed; stores outlive tests. */
export function newTenant(): string {
  return `t.${crypto.randomUUID()}`
}
