/** Keys of files in the bucket. The fuzz target `keys` proves that areas do not overlap. */
import { describe, expect, it } from 'vitest'
import { openArea, type AreaOwner } from '../../../src/files/store/area.ts'
import { parseFolder, parsePath } from '../../../src/files/path.ts'

const LAYOUT = { keyPrefix: '', sharedDir: parsePath('share') }
const ALICE: AreaOwner = { tenant: 'acme', kind: 'user', user: 'alice' }
const COMPANION: AreaOwner = { tenant: 'acme', kind: 'companion', user: '' }
const DEFAULT: AreaOwner = { tenant: 'acme', kind: 'default', user: '' }

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

  it('begins with the configured prefix', async () => {
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
