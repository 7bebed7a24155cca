/** The view of a store that plans have meets the contract of drivers, and changes nothing. */
import { expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { NotKept } from '../../src/storage/planned/planned-objects.ts'
import { plannedStorage } from '../../src/storage/planned/planned-storage.ts'
import { readOnlyStorage } from '../../src/storage/planned/read-only.ts'
import { describeStorageDriver } from '../contract/storage-driver.ts'
import { textsUnder } from '../support/seeded-storage.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describeStorageDriver('a plan', async () => {
  const storage = plannedStorage(readOnlyStorage(memoryStorage()))
  storage.planned.memory = { hold: async () => true, give: () => undefined }
  return storage
})

async function makePlanned(texts: Record<string, string>, maxBytes = Infinity) {
  const base = memoryStorage()
  for (const [key, text] of Object.entries(texts)) await base.put(key, bytes(text))
  const storage = plannedStorage(readOnlyStorage(base))
  let held = 0
  storage.planned.memory = {
    hold: async (count) => held + count <= maxBytes && ((held += count), true),
    give: (count) => void (held -= count),
  }
  return { base, storage, held: () => held }
}

it('shows the store with what would change, in one order', async () => {
  const texts = { 'a/1': '1', 'a/2': '2', 'b/1': '3', c: '4', 'd/1': '5' }
  const { base, storage } = await makePlanned(texts)
  await storage.put('a/3', bytes('new'))
  await storage.put('c', bytes('changed'))
  await storage.delete('b/1')
  await storage.copy('d/1', 'e/1')
  await storage.delete('d/1')
  const after = { 'a/1': '1', 'a/2': '2', 'a/3': 'new', c: 'changed', 'e/1': '5' }
  expect(await textsUnder(storage, '')).toEqual(after)
  const names = []
  for await (const entry of storage.list('', { delimiter: '/', startAfter: 'a/2' })) {
    names.push(entry.kind === 'object' ? entry.object.key : entry.prefix)
  }
  expect(names).toEqual(['a/', 'c', 'e/'])
  expect(await textsUnder(base, '')).toEqual(texts)
})

it('keeps what fits, hashes the rest, and gives its memory back', async () => {
  const { storage, held } = await makePlanned({}, 10)
  await storage.put('small', bytes('12345'))
  await storage.put('large', bytes('1234567890'))
  expect([held(), storage.planned.keptBytes]).toEqual([5, 5])
  await expect(storage.get('large')).rejects.toThrow(NotKept)
  expect(storage.planned.isShort).toBe(true)
  expect(storage.planned.get('large')).toMatchObject({
    bytes: 10,
    sha256: 'c775e7b757ede630cd0aa1113bd102661ab38829ca52a6422ab782862f268646',
  })
  await storage.delete('small')
  expect(held()).toBe(0)
  for (const _ of storage.planned.kept()) throw new Error('nothing is kept')
})

it('drops the oldest when asked to', async () => {
  const { storage, held } = await makePlanned({})
  await storage.put('a', bytes('12345'))
  await storage.put('b', bytes('123'))
  const [oldest] = storage.planned.kept()
  oldest!.unload()
  expect(held()).toBe(3)
  await expect(storage.get('a')).rejects.toThrow(NotKept)
  expect(new TextDecoder().decode((await storage.get('b'))!.body)).toBe('123')
})
