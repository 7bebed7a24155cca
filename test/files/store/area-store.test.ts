/** Files of an area by path: lost responses, copies and errors. */
import { describe, expect, it } from 'vitest'
import { AreaStore, type AreaStoreOptions } from '../../../src/files/store/area-store.ts'
import { MayBeStored } from '../../../src/files/store/tracked-write.ts'
import { parsePath } from '../../../src/files/path.ts'
import { PreconditionFailed, type StorageDriver } from '../../../src/storage/driver.ts'
import { encode, PREFIX, storageWith, textsIn, watched } from '../harness.ts'

const A = parsePath('a')
const B = parsePath('b')
const broken = Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })

function open(storage: StorageDriver, options: Partial<AreaStoreOptions> = {}): AreaStore {
  const area = { sharedDir: undefined, keyFor: (path: string) => PREFIX + path }
  return new AreaStore({ storage, area, ...options })
}

/** As R2 and S3 are: without a conditional delete. */
async function plainStore(texts: Record<string, string> = {}) {
  const { deleteIf: _, ...storage } = await storageWith(texts)
  return storage
}

describe('a put', () => {
  it.each([
    ['without a condition', {}],
    ['that creates', { ifNoneMatch: '*' as const }],
  ])('%s is found if its response is lost', async (_, condition) => {
    const inner = await storageWith()
    const storage: StorageDriver = {
      ...inner,
      async put(...asked) {
        await inner.put(...asked)
        throw broken
      },
    }
    const written = await open(storage).put(A, encode('mine'), condition)
    expect(written).toMatchObject({ path: 'a', bytes: 4, isExact: true })
    expect((await inner.head(`${PREFIX}a`))?.metadata['write-ids']).toBe(written.writeId)
  })

  it('that others appended to before its response was lost is not exact', async () => {
    const inner = await storageWith()
    const storage: StorageDriver = {
      ...inner,
      async put(...asked) {
        await inner.put(...asked)
        await open(inner).append(A, [encode(' theirs')])
        throw broken
      },
    }
    const written = await open(storage).put(A, encode('mine'))
    expect(written).toMatchObject({ bytes: 11, isExact: false })
    expect(written.metadata['write-ids']!.split(' ')[1]).toBe(written.writeId)
  })

  it('fails with the error of the store, or is unclear if the store cannot be asked', async () => {
    const inner = await storageWith()
    const fail = () => Promise.reject(broken)
    const storage: StorageDriver = { ...inner, put: fail }
    await expect(open(storage).put(A, encode('x'))).rejects.toBe(broken)
    const blind = open({ ...storage, head: fail })
    await expect(blind.put(A, encode('x'))).rejects.toBeInstanceOf(MayBeStored)
  })

  it('that must not replace anything sends one HEAD', async () => {
    const { storage, requests } = watched(await plainStore({ a: 'theirs' }))
    const created = open(storage).put(A, encode('mine'), { ifNoneMatch: '*' })
    await expect(created).rejects.toBeInstanceOf(PreconditionFailed)
    expect(requests).toEqual(['put a', 'head a'])
  })
})

it('an upload whose sender aborted is not looked up', async () => {
  const { storage, requests } = watched(await storageWith())
  const fault = new Error('the sender has gone')
  const stream = () => new ReadableStream<Uint8Array>({ pull: (to) => to.error(fault) })
  await expect(open(storage).upload(A, { fault, stream }, { bytes: 1 })).rejects.toBe(fault)
  expect(requests).toEqual(['putStream a'])
})

it('copies a file, and returns false if there is none', async () => {
  const storage = await plainStore({ a: 'text' })
  const store = open(storage)
  expect([await store.copy(A, B), await store.copy(parsePath('none'), A)]).toEqual([true, false])
  expect(await textsIn(storage)).toEqual({ a: 'text', b: 'text' })
})

it('converts errors with the caller’s function, which gets the intended change', async () => {
  const fail = () => Promise.reject(broken)
  const told: unknown[] = []
  const store = open(
    { ...(await storageWith()), head: fail, put: fail, delete: fail },
    {
      errorOf(_, change) {
        told.push(change)
        return new Error('in other words')
      },
    },
  )
  const condition = { ifMatch: 'etag' }
  const requests = [store.head(A), store.put(A, encode('x'), condition), store.remove(B)]
  const failures = await Promise.all(
    requests.map((one) => one.catch((error: Error) => error.message)),
  )
  expect(new Set(failures)).toEqual(new Set(['in other words']))
  expect(told).toHaveLength(3)
  expect(told).toEqual(
    expect.arrayContaining([undefined, { path: 'a', condition }, { path: 'b', condition: {} }]),
  )
})
