/** All objects of a tenant leave and come back with equal digests: 10,000 in test:all. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ExportFolder } from '../../../infra/tenant/manifest.ts'
import {
  deleteTenant,
  exportTenant,
  importTenant,
  tenantUsage,
  type TenantPlace,
} from '../../../infra/tenant/tenant-objects.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { isAll } from '../../support/tier.ts'
import { watchedStorage } from '../../support/watched-storage.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const FILES = isAll ? 10_000 : 300

it(`exports, deletes and imports ${FILES} files`, { timeout: 300_000 }, async () => {
  const storage = memoryStorage()
  const place: TenantPlace = { storage, prefix: 'acme/' }
  for (let i = 0; i < FILES; i++) {
    const metadata = { 'write-ids': `${i}`.padStart(16, '0') }
    const body = new TextEncoder().encode(`${i} `.repeat(i % 500))
    await storage.put(`acme/users/u${i % 7}/output/${i % 100}/${i}.csv`, body, { metadata })
  }
  const before = await digestOf(place)
  const folder = join(tempFolder(), 'export')
  const ignore = () => {}
  expect(await exportTenant(place, new ExportFolder(folder), ignore)).toMatchObject({
    done: FILES,
    problems: [],
  })
  expect(await deleteTenant(place, ignore)).toMatchObject({ done: FILES, problems: [] })
  expect(await importTenant(place, new ExportFolder(folder), false, ignore)).toMatchObject({
    done: FILES,
    problems: [],
  })
  expect(await digestOf(place)).toBe(before)
})

describe('a tenant that still runs scripts', () => {
  /** Stores another file after each of the first deletions. */
  async function writing(times: number): Promise<TenantPlace> {
    const inner = memoryStorage()
    await inner.put('acme/users/a/0', new Uint8Array(1))
    let written = 0
    const storage = watchedStorage(
      inner,
      () => {},
      async (request) => {
        if (request !== 'delete' || written >= times) return
        await inner.put(`acme/users/a/${++written}`, new Uint8Array(1))
      },
    )
    return { storage, prefix: 'acme/' }
  }

  it('is deleted with what is written meanwhile', async () => {
    const place = await writing(3)
    expect(await deleteTenant(place, () => {})).toMatchObject({ done: 4, problems: [] })
    expect((await tenantUsage(place)).size).toBe(0)
  })

  it('without end is a problem that is said', async () => {
    const { problems } = await deleteTenant(await writing(Infinity), () => {})
    expect(problems).toEqual(['something still writes for this tenant: stop it, and delete again'])
  })
})

/** Of keys, bytes, types and metadata. */
async function digestOf({ storage, prefix }: TenantPlace): Promise<string> {
  const hash = createHash('sha256')
  for await (const entry of storage.list(prefix)) {
    if (entry.kind !== 'object') continue
    const { key, body, contentType, metadata } = (await storage.get(entry.object.key))!
    hash.update(JSON.stringify([key, contentType, metadata])).update(body)
  }
  return hash.digest('hex')
}
