/** The bucket of a Worker, on the local R2 that also serves development. */
import { env } from 'cloudflare:workers'
import type * as Cloudflare from '@cloudflare/workers-types'
import type {
  R2MultipartOptions,
  R2UploadedPart,
  ReadableStream as R2Stream,
} from '@cloudflare/workers-types'
import { describe, expect, it } from 'vitest'
import { r2Storage } from '../../../src/storage/r2.ts'
import { s3Presigner } from '../../../src/storage/s3/presigner.ts'
import { describePartUploads } from '../../contract/part-uploads.ts'
import {
  allOf,
  describeStorageDriver,
  REQUESTS,
  SMALL_COPIES,
} from '../../contract/storage-driver.ts'
import { isAll } from '../../support/tier.ts'

const MIB = 1024 * 1024
const IN_PARTS = { maxSinglePutBytes: 6 * MIB, ...SMALL_COPIES }

const pageEntries = isAll ? 1000 : 10

describeStorageDriver(
  'R2',
  async () => r2Storage(env.FILES, undefined, { pageEntries, ...IN_PARTS }),
  { pageEntries },
)

describePartUploads(
  'R2',
  async () => {
    const uploads: Cloudflare.R2MultipartUpload[] = []
    const bucket = new Proxy(env.FILES, {
      get: (target, method: 'get') =>
        method === ('createMultipartUpload' as string)
          ? async (...asked: Parameters<typeof target.createMultipartUpload>) => {
              const upload = await target.createMultipartUpload(...asked)
              uploads.push(upload)
              return upload
            }
          : target[method].bind(target),
    })
    /** A binding cannot list uploads. */
    const isOpen = ({ key, uploadId }: Cloudflare.R2MultipartUpload) =>
      env.FILES.resumeMultipartUpload(key, uploadId)
        .uploadPart(1, 'x')
        .then(
          () => true,
          (error: Error) => !error.message.includes('10024'),
        )
    const unfinished = async () => {
      const open = await Promise.all(uploads.map(isOpen))
      return uploads.filter((_, at) => open[at]).map(({ key }) => key)
    }
    return { storage: r2Storage(bucket), unfinished }
  },
  5 * 1024 * 1024,
)

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

it('R2 that fails for a range with bytes is not taken for an empty one', async () => {
  const failing = new Proxy(env.FILES, {
    get: (target, method: 'get' | 'head') =>
      method === 'get' ? () => Promise.reject(new Error('broken')) : target[method].bind(target),
  })
  await env.FILES.put('failing', 'abc')
  const get = (offset: number, length: number) =>
    r2Storage(failing).get('failing', { range: { offset, length } })
  await expect(get(2, 9)).rejects.toThrow('broken')
  expect((await get(3, 9))?.body).toHaveLength(0)
  expect((await get(0, 0))?.body).toHaveLength(0)
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

describe('a copy in R2 of more than one put takes', () => {
  /** A bucket that notes its uploads, and fails as told. */
  function uploadingBucket(onPart: (part: number) => Promise<void> = async () => {}) {
    const asked: string[] = []
    const bucket = new Proxy(env.FILES, {
      get(target, method: 'get' | 'put' | 'createMultipartUpload') {
        if (method !== 'createMultipartUpload') {
          return async (key: string, ...rest: never[]) => {
            const call = target[method].bind(target) as (...args: unknown[]) => Promise<unknown>
            const { range } = (rest[0] ?? {}) as { range?: { offset: number; length: number } }
            asked.push(range ? `${method} ${range.offset} ${range.length}` : method)
            return call(key, ...rest)
          }
        }
        return async (key: string, options: R2MultipartOptions) => {
          asked.push('begin')
          const upload = await target.createMultipartUpload(key, options)
          return {
            uploadPart: async (number: number, body: R2Stream) => {
              asked.push(`part ${number}`)
              await onPart(number)
              return upload.uploadPart(number, body)
            },
            complete: (parts: R2UploadedPart[]) => (asked.push('end'), upload.complete(parts)),
            abort: () => (asked.push('abort'), upload.abort()),
          }
        }
      },
    })
    return { storage: r2Storage(bucket, undefined, IN_PARTS), asked }
  }

  it('streams equal parts, one after the other', async () => {
    await env.FILES.put('parts', new Uint8Array(12 * MIB).fill(7))
    const { storage, asked } = uploadingBucket()
    expect(await storage.copy('parts', 'parts too')).toBe(true)
    const size = 5 * MIB
    const parts = [size, size, 2 * MIB].flatMap((length, i) => [
      `get ${i * size} ${length}`,
      `part ${i + 1}`,
    ])
    expect(asked).toEqual(['head', 'begin', ...parts, 'end'])
    expect((await env.FILES.head('parts too'))?.size).toBe(12 * MIB)
  })

  it('is aborted if a part fails', async () => {
    await env.FILES.put('parts', new Uint8Array(12 * MIB))
    const { storage, asked } = uploadingBucket(async (part) => {
      if (part === 2) throw new Error('no part')
    })
    await expect(storage.copy('parts', 'none')).rejects.toThrow('no part')
    expect(asked.at(-1)).toBe('abort')
    expect(await env.FILES.head('none')).toBeNull()
  })

  it('is aborted if the source changes', async () => {
    await env.FILES.put('parts', new Uint8Array(12 * MIB))
    const { storage, asked } = uploadingBucket(async (part) => {
      if (part === 1) await env.FILES.put('parts', new Uint8Array(12 * MIB).fill(1))
    })
    await expect(storage.copy('parts', 'none')).rejects.toThrow('the source changed')
    expect(asked.at(-1)).toBe('abort')
    expect(await env.FILES.head('none')).toBeNull()
  })
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
