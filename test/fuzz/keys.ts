/** Keys: no owner can reach the files of another, however similar their names are. */
import fc from 'fast-check'
import { openArea, openUsedLinks, keySegment, type AreaOwner } from '../../src/files/store/area.ts'
import { parseFolder, parsePath } from '../../src/files/path.ts'
import { FOLDER_NAMES, namesLike } from '../support/alike-callers.ts'
import { promise, propertyTarget } from './target.ts'

const plain = fc.constantFrom('acme', 'acme2', 'Acme', 'a', 'share', 'users', 'used-links')
const name = fc.oneof(
  plain,
  fc.constantFrom(...namesLike('acme'), ...FOLDER_NAMES),
  fc.constantFrom('a.b', 'a_b', 'a--b', 'a/b', '../a', '', 'é'),
  fc.string({ unit: fc.constantFrom('a', 'A', '-', '_', '/', '.', '\0', 'é'), maxLength: 5 }),
  fc.string({ unit: fc.constantFrom('x', '-', '_'), minLength: 62, maxLength: 66 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
)
/** Some names are made after what others become. */
const impostor = fc.tuple(fc.boolean(), name)
const owner = fc.record({
  tenant: impostor,
  kind: fc.constantFrom('user' as const, 'user' as const, 'companion' as const, 'default' as const),
  user: impostor,
})
const layout = fc.record({
  keyPrefix: fc.constantFrom('', 'team/', 'acme/users/'),
  sharedDir: fc.constantFrom('share', 'users', 'companion', 'common').map((dir) => parsePath(dir)),
})
const path = fc
  .array(fc.constantFrom('x', 'share', 'SHARE', 'users', 'companion', 'a', 'acme', 'é', '...'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((segments) => segments.join('/'))

async function nameOf([isImpostor, text]: [boolean, string]): Promise<string> {
  return isImpostor ? keySegment(text) : text
}

async function ownerOf(made: typeof owner extends fc.Arbitrary<infer T> ? T : never) {
  const [tenant, user] = await Promise.all([nameOf(made.tenant), nameOf(made.user)])
  return { tenant, kind: made.kind, user: made.kind === 'user' ? user : '' } satisfies AreaOwner
}

const idOf = ({ tenant, kind, user }: AreaOwner) => JSON.stringify([tenant, kind, user])

export const keys = propertyTarget(
  { shortRuns: 500, longRuns: 100_000 },
  fc.asyncProperty(
    fc.array(owner, { minLength: 2, maxLength: 6 }),
    layout,
    fc.array(path, { minLength: 1, maxLength: 3 }),
    async (made, of, written) => {
      const byId = new Map((await Promise.all(made.map(ownerOf))).map((one) => [idOf(one), one]))
      const owners = [...byId.values()]
      const areas = await Promise.all(owners.map((one) => openArea(one, of)))
      const used = await Promise.all(owners.map(({ tenant }) => openUsedLinks(tenant, of)))
      const files = written.map((text) => parsePath(text, { sharedDir: of.sharedDir }))
      for (const [i, area] of areas.entries()) {
        for (const file of files) {
          const key = area.keyFor(file)
          const isShared = file === of.sharedDir || file.startsWith(`${of.sharedDir}/`)
          promise(key.startsWith(of.keyPrefix), () => `${key} lies before the prefix`)
          promise(
            !/(?:^|\/)\.{0,2}(?:\/|$)/.test(key),
            () => `${key} has an empty or dotted segment`,
          )
          promise(
            !used.some((links) => key.startsWith(links.keyFor(''))),
            () => `${key} marks a used link`,
          )
          for (const [j, other] of areas.entries()) {
            const isKin = owners[i]!.tenant === owners[j]!.tenant
            const what = () =>
              `${key} of ${idOf(owners[i]!)} is within reach of ${idOf(owners[j]!)}`
            if (i !== j) promise(!key.startsWith(other.keyFor('')), what)
            const shared = other.keyFor(parseFolder(of.sharedDir))
            const isReached = key === shared || key.startsWith(`${shared}/`)
            promise(isReached === (isShared && isKin), what)
          }
        }
        promise(
          new Set(files.map((file) => area.keyFor(file))).size === new Set(files).size,
          () => `two paths have one key: ${files.join(', ')}`,
        )
      }
    },
  ),
)
