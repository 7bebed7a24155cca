/** What is signed, and the form of the URL; real stores check it in test/node/storage. */
import { describe, expect, it } from 'vitest'
import type { S3Signing } from '../../src/config.ts'
import { s3Presigner } from '../../src/storage/s3/presigner.ts'

const NOW = new Date('2013-05-24T00:00:00Z')
const TOMORROW = new Date('2013-05-25T00:00:00Z')

/** The account of Amazon's documentation. */
const EXAMPLE: S3Signing = {
  endpoint: 'https://s3.amazonaws.com',
  region: 'us-east-1',
  bucket: 'examplebucket',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  forcePathStyle: false,
}

function presigner(s3: Partial<S3Signing> = {}, now = NOW) {
  return s3Presigner({ ...EXAMPLE, ...s3 }, () => now)
}

/** The part that names the object. */
async function addressOf(key: string, s3: Partial<S3Signing> = {}): Promise<string> {
  const { url } = await presigner(s3).presignGet(key, { expiresAt: TOMORROW })
  return url.slice(0, url.indexOf('?'))
}

function queryOf(url: string): Record<string, string> {
  return Object.fromEntries(new URL(url).searchParams)
}

describe('s3Presigner', () => {
  it('reproduces the example of Amazon’s documentation', async () => {
    expect(await presigner().presignGet('test.txt', { expiresAt: TOMORROW })).toEqual({
      url:
        'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Expires=86400' +
        '&X-Amz-Date=20130524T000000Z&X-Amz-Algorithm=AWS4-HMAC-SHA256' +
        '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
        '&X-Amz-SignedHeaders=host' +
        '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
      expiresAt: TOMORROW,
      headers: {},
    })
  })

  it.each([
    [true, 'http://localhost:9000', 'http://localhost:9000/examplebucket/a/b'],
    [false, 'http://localhost:9000', 'http://examplebucket.localhost:9000/a/b'],
    [true, 'http://localhost/s3', 'http://localhost/s3/examplebucket/a/b'],
    [false, 'http://localhost/s3', 'http://examplebucket.localhost/s3/a/b'],
  ])('with path style %j at %s names an object %s', async (forcePathStyle, endpoint, address) => {
    expect(await addressOf('a/b', { forcePathStyle, endpoint })).toBe(address)
  })

  it.each([
    ['a b+c', 'a%20b%2Bc'],
    ['50%', '50%25'],
    ['%2F', '%252F'],
    ['a#b?c&d=e', 'a%23b%3Fc%26d%3De'],
    ["!'()*", '%21%27%28%29%2A'],
    ['é/日本/😀', '%C3%A9/%E6%97%A5%E6%9C%AC/%F0%9F%98%80'],
    ['a//b/', 'a//b/'],
    ['..a/.b/...', '..a/.b/...'],
    ['-_.~', '-_.~'],
  ])('writes the key %j as %s', async (key, path) => {
    expect(await addressOf(key)).toBe(`https://examplebucket.s3.amazonaws.com/${path}`)
  })

  it.each(['.', '..', 'a/../b', 'a/./b', 'a/..'])(
    'refuses the key %j, which a URL cannot name',
    async (key) => {
      await expect(addressOf(key)).rejects.toThrow(RangeError)
    },
  )

  it('sets type and disposition of the response', async () => {
    const contentDisposition = `attachment; filename="a + b*.txt"; filename*=UTF-8''%C3%A9`
    const { url } = await presigner().presignGet('a', {
      expiresAt: TOMORROW,
      contentType: 'text/plain; charset=utf-8',
      contentDisposition,
    })
    expect(queryOf(url)).toMatchObject({
      'response-content-type': 'text/plain; charset=utf-8',
      'response-content-disposition': contentDisposition,
    })
    expect(url).toContain('filename%3D%22a%20%2B%20b%2A.txt%22')
  })

  it('includes the session token', async () => {
    const { url } = await presigner({ sessionToken: 'a+b/c=' }).presignGet('a', {
      expiresAt: TOMORROW,
    })
    expect(queryOf(url)).toMatchObject({ 'X-Amz-Security-Token': 'a+b/c=' })
  })

  it.each([
    [{ bytes: 5 }, 'content-length;host', { 'content-length': '5' }],
    [
      { bytes: 0, contentType: 'text/csv', ifNoneMatch: '*' as const },
      'content-length;content-type;host;if-none-match',
      { 'content-length': '0', 'content-type': 'text/csv', 'if-none-match': '*' },
    ],
    [
      { bytes: 1, metadata: { 'write-ids': 'a1' } },
      'content-length;host;x-amz-meta-write-ids',
      { 'content-length': '1', 'x-amz-meta-write-ids': 'a1' },
    ],
  ])('limits an upload to %j', async (options, signedHeaders, headers) => {
    const presigned = await presigner().presignPut('a', { expiresAt: TOMORROW, ...options })
    expect(queryOf(presigned.url)).toMatchObject({ 'X-Amz-SignedHeaders': signedHeaders })
    expect(presigned.headers).toEqual(headers)
  })

  it.each([
    ['2013-05-24T00:00:00.000Z', '2013-05-24T00:01:00.999Z', '60', '2013-05-24T00:01:00.000Z'],
    ['2013-05-24T00:00:00.999Z', '2013-05-24T00:01:00.000Z', '60', '2013-05-24T00:01:00.000Z'],
    ['2013-05-24T00:00:00.500Z', '2013-05-24T00:00:01.400Z', '1', '2013-05-24T00:00:01.000Z'],
    ['2013-05-24T00:00:00.000Z', '2014-05-24T00:00:00.000Z', '604800', '2013-05-31T00:00:00.000Z'],
  ])('at %s until %s lasts %s seconds, to %s', async (now, wanted, seconds, end) => {
    const { url, expiresAt } = await presigner({}, new Date(now)).presignGet('a', {
      expiresAt: new Date(wanted),
    })
    expect(queryOf(url)).toMatchObject({ 'X-Amz-Expires': seconds })
    expect(expiresAt.toISOString()).toBe(end)
  })

  it.each(['2013-05-23T23:59:59Z', '2013-05-24T00:00:00Z', '2013-05-24T00:00:00.999Z', 'never'])(
    'at midnight refuses to sign until %s',
    async (wanted) => {
      const signing = presigner().presignGet('a', { expiresAt: new Date(wanted) })
      await expect(signing).rejects.toThrow(RangeError)
    },
  )
})
