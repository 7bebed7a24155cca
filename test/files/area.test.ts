/** Where files lie in the bucket: an area's keys are its own, and what is shared lies in one place. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openArea, type Area, type AreaOwner } from '../../src/files/area.ts'
import { parseFolder, parsePath } from '../../src/files/path.ts'

const LAYOUT = { keyPrefix: '', sharedDir: parsePath('share') }
const ALICE: AreaOwner = { tenant: 'acme', kind: 'user', user: 'alice' }
const COMPANION: AreaOwner = { tenant: 'acme', kind: 'companion', user: '' }
const DEFAULT: AreaOwner = { tenant: 'acme', kind: 'default', user: '' }

const same = (a: AreaOwner, b: AreaOwner) =>
  a.tenant === b.tenant && a.kind === b.kind && a.user === b.user

describe('a key', () => {
  it.each<[AreaOwner, string, string]>([
    [ALICE, '', 'acme/users/alice/'],
    [ALICE, 'a.txt', 'acme/users/alice/a.txt'],
    [ALICE, 'output/a b/é.txt', 'acme/users/alice/output/a b/é.txt'],
    [ALICE, 'share', 'acme/share'],
    [ALICE, 'share/a/b', 'acme/share/a/b'],
    [ALICE, 'shared/a', 'acme/users/alice/shared/a'],
    [ALICE, 'a/share/b', 'acme/users/alice/a/share/b'],
    [ALICE, 'users/bob/a', 'acme/users/alice/users/bob/a'],
    [COMPANION, 'a.txt', 'acme/companion/a.txt'],
    [COMPANION, 'share/a', 'acme/share/a'],
    [DEFAULT, 'a.txt', 'acme/default/a.txt'],
    [DEFAULT, 'share/a', 'acme/share/a'],
    [{ ...ALICE, user: 'a.b' }, 'x', 'acme/users/a_b--fzztnxeoxkd66rzn6vumgvecvp/x'],
    [{ ...ALICE, tenant: 'a.b' }, 'x', 'a_b--fzztnxeoxkd66rzn6vumgvecvp/users/alice/x'],
    [{ ...ALICE, tenant: 'a.b' }, 'share/x', 'a_b--fzztnxeoxkd66rzn6vumgvecvp/share/x'],
    [{ ...ALICE, user: 'share' }, 'x', 'acme/users/share/x'],
    [{ ...ALICE, tenant: 'share' }, 'x', 'share/users/alice/x'],
  ])('of %j for %j is %j', async (owner, path, key) => {
    const area = await openArea(owner, LAYOUT)
    expect(area.keyFor(parseFolder(path))).toBe(key)
  })

  it('begins with what the installation puts in front of it', async () => {
    const layout = { keyPrefix: 'team/files/', sharedDir: parsePath('common') }
    const area = await openArea(ALICE, layout)
    const paths = ['', 'a', 'common', 'common/a', 'share/a']
    expect(paths.map((path) => area.keyFor(parseFolder(path)))).toEqual([
      'team/files/acme/users/alice/',
      'team/files/acme/users/alice/a',
      'team/files/acme/share',
      'team/files/acme/share/a',
      'team/files/acme/users/alice/share/a',
    ])
  })
})

const names = fc.oneof(
  fc.constantFrom('acme', 'acme2', 'acm', 'share', 'users', 'default', 'companion', 'a.b', 'a_b'),
  fc.constantFrom('a--b', 'a_b--fzztnxeoxkd66rzn6vumgvecvp', 'alice/share', '../acme', 'Acme'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 70 }),
)
const owners: fc.Arbitrary<AreaOwner> = fc.oneof(
  fc.record({ tenant: names, kind: fc.constant('user' as const), user: names }),
  fc.record({
    tenant: names,
    kind: fc.constantFrom('companion' as const, 'default' as const),
    user: fc.constant(''),
  }),
)
const paths = fc
  .array(fc.oneof(names, fc.constantFrom('x', 'share', 'bob')), { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join('/'))
  .filter(isPath)

function isPath(text: string): boolean {
  try {
    return parsePath(text) !== ''
  } catch {
    return false
  }
}

describe('no key', () => {
  it('of one area begins like those of another, unless it is shared', async () => {
    await fc.assert(
      fc.asyncProperty(owners, owners, paths, async (one, other, written) => {
        fc.pre(!same(one, other))
        const [area, stranger] = await Promise.all([openArea(one, LAYOUT), openArea(other, LAYOUT)])
        const path = parsePath(written)
        const key = area.keyFor(path)
        expect(key.startsWith(stranger.keyFor(''))).toBe(false)
        const isShared = path === 'share' || path.startsWith('share/')
        const meet = isShared && one.tenant === other.tenant
        expect(key.startsWith(sharedPrefix(stranger)) || key === stranger.keyFor(SHARE)).toBe(meet)
      }),
      { numRuns: 500 },
    )
  })

  it('of an area stands for two paths', async () => {
    await fc.assert(
      fc.asyncProperty(owners, paths, paths, async (owner, a, b) => {
        const area = await openArea(owner, LAYOUT)
        const [one, other] = [parsePath(a), parsePath(b)]
        expect(area.keyFor(one) === area.keyFor(other)).toBe(one === other)
      }),
      { numRuns: 300 },
    )
  })
})

const SHARE = parsePath('share')

function sharedPrefix(area: Area): string {
  return `${area.keyFor(SHARE)}/`
}
