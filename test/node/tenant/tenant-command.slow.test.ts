/** `npm run tenant`: everything of a tenant leaves and comes back as it was. */
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseConfig } from '../../../src/config.ts'
import { newKeyId } from '../../../src/operations/keys/key-record.ts'
import { TenantKeys } from '../../../src/operations/keys/key-store.ts'
import { retrying } from '../../../src/storage/retrying.ts'
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const COMMAND = join(import.meta.dirname, '../../../infra/tenant/tenant.ts')

/** Names that a file system may not take, or not tell apart. */
const KEYS = [
  'audit/2026-11-16/x.jsonl',
  'runs/users/alice/records/0',
  'share/s.txt',
  'users/alice/A.txt',
  'users/alice/a b/é 日本.txt',
  'users/alice/a.txt',
  'users/alice/empty/',
  'users/alice/x',
  'users/alice/x/y',
  `users/alice/${'long'.repeat(80)}`,
  ...Array.from({ length: 20 }, (_, i) => `users/bob/output/${i}.csv`),
]

async function makeTenant(keys = KEYS) {
  const s3 = await sharedS3()
  const storage = retrying(s3Storage(s3.settings))
  const tenant = `t-${randomUUID()}`
  for (const [i, key] of keys.entries()) {
    const body = new TextEncoder().encode(key.endsWith('/') ? '' : `${key} ${i}`)
    const metadata = { 'write-ids': `${i}`.padStart(16, '0') }
    await storage.put(`${tenant}/${key}`, body, { contentType: 'text/x-test', metadata })
  }

  /** The last line of the command, or how it failed. */
  const command = (...args: string[]) =>
    new Promise<string>((done) => {
      const env = { PATH: process.env.PATH, ...s3.vars }
      execFile(process.execPath, [COMMAND, ...args], { env, cwd: tempFolder() }, (_, out, err) => {
        done(err === '' ? out.trimEnd().split('\n').at(-1)! : err.trimEnd())
      })
    })

  /** All that can be read of each object. */
  async function digests(of = tenant): Promise<Record<string, unknown>> {
    const all: Record<string, unknown> = {}
    for await (const entry of storage.list(`${of}/`)) {
      if (entry.kind !== 'object') continue
      const { body, contentType, metadata } = (await storage.get(entry.object.key))!
      const sha256 = createHash('sha256').update(body).digest('hex')
      all[entry.object.key.slice(of.length + 1)] = { sha256, contentType, metadata }
    }
    return all
  }
  return { storage, tenant, command, digests, folder: join(tempFolder(), 'export') }
}

it('exports, deletes and imports a tenant, which is then as before', async () => {
  const { storage, tenant, command, digests, folder } = await makeTenant()
  await storage.put(`${tenant}2/users/alice/kept`, new Uint8Array(1))
  const before = await digests()
  expect(Object.keys(before)).toHaveLength(KEYS.length)
  expect(await command('export', tenant, '--to', folder)).toMatch(/^30 objects, \d+ bytes exported/)
  expect(readFileSync(join(folder, 'files/users/alice/a b/é 日本.txt'), 'utf8')).toMatch(/日本/)

  const refusal = await command('delete', tenant)
  expect(refusal).toBe('tenant: nothing was deleted; add --yes to delete all of this')
  expect(await digests()).toEqual(before)
  expect(await command('delete', tenant, '--yes')).toMatch(/^30 objects, \d+ bytes deleted/)
  expect([await digests(), await digests(`${tenant}2`)]).toMatchObject([
    {},
    { 'users/alice/kept': {} },
  ])
  expect(await digests()).toEqual({})

  expect(await command('import', tenant, '--from', folder)).toMatch(/^30 objects, .* imported; 0/)
  expect(await digests()).toEqual(before)
  expect(await command('import', tenant, '--from', folder)).toMatch(/^0 objects, .*; 30 were/)
})

it('goes on where an export was killed, with what has changed since', async () => {
  const { storage, tenant, command, folder } = await makeTenant(KEYS.slice(0, 6))
  await command('export', tenant, '--to', folder)
  const manifest = join(folder, 'manifest.jsonl')
  const lines = readFileSync(manifest, 'utf8').split('\n')
  writeFileSync(manifest, `${lines.slice(0, 4).join('\n')}\n`)
  appendFileSync(manifest, lines[4]!.slice(0, 20))
  await storage.delete(`${tenant}/${KEYS[0]}`)
  await storage.put(`${tenant}/${KEYS[1]}`, new Uint8Array(3))
  expect(await command('export', tenant, '--to', folder)).toBe(
    `3 objects, ${3 + `${KEYS[4]} 4`.length + bytesOf(KEYS[4]!) + `${KEYS[5]} 5`.length} bytes exported; 2 were already`,
  )
  expect(existsSync(join(folder, 'files', KEYS[0]!))).toBe(false)
  expect(readFileSync(manifest, 'utf8').trimEnd().split('\n')).toHaveLength(5)
})

it('deletes the API keys of a tenant, and of no other', async () => {
  const { storage, tenant, command } = await makeTenant(KEYS.slice(0, 2))
  const config = parseConfig({ LINK_SECRET: 'unused and long enough', AUTH_SECRET: 'x'.repeat(16) })
  const left = async (of: string) => {
    const found: string[] = []
    for await (const entry of storage.list('.keys/')) {
      if (entry.kind !== 'object') continue
      const { body } = (await storage.get(entry.object.key))!
      if (new TextDecoder().decode(body).includes(`"${of}"`)) found.push(entry.object.key)
    }
    return found
  }
  for (const [of, hash] of [
    [tenant, randomUUID().replaceAll('-', '')],
    [`${tenant}2`, randomUUID().replaceAll('-', '')],
  ] as const) {
    const keys = await TenantKeys.of({ config, storage }, of)
    const id = newKeyId(Date.now(), undefined)
    await keys.add({ id, hash, tenant: of, scopes: ['execute'], createdAt: 0, createdBy: null })
  }
  expect([(await left(tenant)).length, (await left(`${tenant}2`)).length]).toEqual([2, 2])
  expect(await command('usage', tenant)).toBe('and 1 API keys')
  expect(await command('delete', tenant, '--yes')).toMatch(/^2 objects, \d+ bytes deleted/)
  expect([(await left(tenant)).length, (await left(`${tenant}2`)).length]).toEqual([0, 2])
})

/** Beyond one per character. */
const bytesOf = (text: string) => Buffer.byteLength(text) - text.length

it('imports into another tenant, replaces nothing unasked, and no file that was changed', async () => {
  const { storage, tenant, command, digests, folder } = await makeTenant(KEYS.slice(2, 5))
  await command('export', tenant, '--to', folder)
  const other = `${tenant}-copy`
  await storage.put(`${other}/share/s.txt`, new Uint8Array(1))
  writeFileSync(join(folder, 'files/users/alice/A.txt'), 'users/alice/A.txt X')
  expect((await command('import', other, '--from', folder)).split('\n').sort()).toEqual([
    'share/s.txt: exists and differs; --overwrite replaces it',
    'tenant: 2 objects were not imported',
    'users/alice/A.txt: the file is not as it was exported',
  ])
  expect(Object.keys(await digests(other))).toEqual(['share/s.txt', 'users/alice/a b/é 日本.txt'])
  await command('import', other, '--from', folder, '--overwrite')
  const [own, copy] = [await digests(), await digests(other)]
  expect(copy['share/s.txt']).toEqual(own['share/s.txt'])
})

it('counts by area', async () => {
  const { command, tenant } = await makeTenant(['share/a', 'users/alice/a', 'users/alice/b/c'])
  expect(await command('usage', tenant)).toBe('total: 3 objects, 41 bytes')
})

it.each([
  [[], 'an action and a tenant are required; --help lists them'],
  [['export', 'acme'], '--to is required; --help explains it'],
  [['import', 'acme', '--from', '/nowhere'], '--from has no manifest.jsonl'],
  [['drop', 'acme'], 'there is no action "drop"; --help lists them'],
])('refuses %j', async (args, message) => {
  const { command } = await makeTenant([])
  expect(await command(...args)).toBe(`tenant: ${message}`)
})
