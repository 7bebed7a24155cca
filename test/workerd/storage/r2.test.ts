/** The bucket of a Worker, on the local R2 that also serves development. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { r2Storage } from '../../../src/storage/r2.ts'
import { s3Presigner } from '../../../src/storage/s3/presigner.ts'
import { allOf, describeStorageDriver, REQUESTS } from '../../contract/storage-driver.ts'

describeStorageDriver('R2', async () => r2Storage(env.FILES))

/** The real bucket, and what it was asked. */
function watchedBucket() {
  const asked: unknown[][] = []
  const bucket = new Proxy(env.FILES, {
    get: (target, method: 'get' | 'head' | 'list') => (argument: never, options: never) => {
      asked.push([method, argument, ...(options ? [options] : [])])
      return target[method](argument, options)
    },
  })
  return { storage: r2Storage(bucket), asked }
}

it('R2 is asked once for a range that has bytes', async () => {
  const { storage, asked } = watchedBucket()
  const range = { offset: 1, length: 9 }
  await env.FILES.put('once', 'abc')
  await storage.get('once', { range })
  expect(asked).toEqual([['get', 'once', { range }]])
})

it('R2 is not asked for more entries than a listing may have', async () => {
  const { storage, asked } = watchedBucket()
  const prefix = `${crypto.randomUUID()}/`
  for (const name of ['a', 'b/1', 'c']) await env.FILES.put(prefix + name, '')
  await allOf(storage.list(prefix, { delimiter: '/', limit: 2 }))
  expect(asked).toEqual([['list', expect.objectContaining({ limit: 2 })]])
})

it.each(REQUESTS)('R2 does not keep %s waiting when its signal aborts', async (_, request) => {
  const ending = new AbortController()
  const answer = request(r2Storage(env.FILES), 'waiting', { signal: ending.signal })
  ending.abort(new Error('over'))
  await expect(answer).rejects.toThrow('over')
})

it('R2 copies all that R2 knows of an object', async () => {
  const httpMetadata = { contentType: 'text/csv', cacheControl: 'no-store', contentLanguage: 'en' }
  await env.FILES.put('known', 'a', { httpMetadata })
  await r2Storage(env.FILES).copy('known', 'known too')
  expect((await env.FILES.head('known too'))?.httpMetadata).toMatchObject(httpMetadata)
})

it('R2 knows the type of an object that was stored without one', async () => {
  await env.FILES.put('untyped', 'a')
  const object = await r2Storage(env.FILES).head('untyped')
  expect(object?.contentType).toBe('application/octet-stream')
})

it('R2 presigns only with S3 credentials', async () => {
  const presigner = s3Presigner({
    endpoint: 'https://account.r2.cloudflarestorage.com',
    region: 'auto',
    bucket: 'files',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    forcePathStyle: true,
  })
  const { presignGet, presignPut } = r2Storage(env.FILES, presigner)
  expect({ presignGet, presignPut }).toEqual(presigner)
  expect(Object.keys(r2Storage(env.FILES)).filter((name) => name.startsWith('presign'))).toEqual([])
})
