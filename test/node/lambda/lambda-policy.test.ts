/** The Lambda role allows what the service asks of S3, and nothing that it never asks for. */
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { readTemplate, type Template } from '../../../infra/lambda/read-template.ts'
import { grantsOf } from '../../../infra/lambda/role-rules.ts'
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { allOf, SMALL_COPIES } from '../../contract/storage-driver.ts'
import { evaluateTemplate } from '../../support/evaluate-template.ts'
import { startFaultProxy, type Plan } from '../../support/fault-proxy.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { makeApp } from '../../support/make-app.ts'
import { matches, s3RequestOf, type Needed } from '../../support/s3-actions.ts'

const PREFIX = 'team/files/'
const MIB = 1024 * 1024

const Resources = evaluateTemplate(readTemplate('template.yaml'), {
  parameters: {
    CodeBucket: 'builds',
    CodeKey: 'lambda-1.zip',
    SecretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:moonbucket-AbCdEf',
    SecretVersionId: '11111111-2222-3333-4444-555555555555',
    KeyPrefix: PREFIX,
  },
  secrets: { LINK_SECRET: 'link', AUTH_SECRET: 'auth' },
  attributes: { 'Files.Arn': 'arn:aws:s3:::files' },
}) as Template['Resources']
const grants = grantsOf({ Resources }).filter(({ action }) => action.startsWith('s3:'))

const s3 = await sharedS3()
const proxy = await startFaultProxy(s3.endpoint)
const copies = { maxSingleCopyBytes: 6 * MIB, ...SMALL_COPIES }
const storage = s3Storage({ ...s3.settings, ...copies, endpoint: proxy.endpoint })
const operations = new Set<string>()
const used = new Set<string>()
let denied: Needed[]

/** AWS in front of the local store: what the role does not allow is refused. */
const asAws: Plan = (seen) => {
  const { operation, needs } = s3RequestOf(seen)
  operations.add(operation)
  for (const { action } of needs) used.add(action)
  const refused = needs.filter((need) => !isGranted(need))
  denied.push(...refused)
  return refused.length > 0 ? 403 : undefined
}

afterAll(() => proxy.stop())

beforeEach(() => {
  denied = []
  proxy.follow(asAws)
})

describe('under the role of the template', () => {
  it('the driver does everything it can', async () => {
    const key = `${PREFIX}acme/a`
    const expiresAt = new Date(Date.now() + 60_000)
    const tried = new Set<string>()
    const on = new Proxy(storage, {
      get: (target, name, self) => (tried.add(String(name)), Reflect.get(target, name, self)),
    })

    const { etag } = await on.put(key, encode('1'))
    await on.put(key, encode('2'), { ifMatch: etag })
    await on.putStream(`${key}b`, new Blob(['abc']).stream(), { bytes: 3, ifNoneMatch: '*' })
    expect(await on.copy(key, `${key} copy`)).toBe(true)
    expect(await on.head(key)).toMatchObject({ bytes: 1 })
    expect(await on.get(`${PREFIX}acme/none`)).toBeNull()
    expect(await textOf((await on.getStream(`${key} copy`))!.body)).toBe('2')
    expect(await allOf(on.list(`${PREFIX}acme/`))).toHaveLength(3)
    await on.delete(`${key}b`)
    await on.put(`${key} large`, new Uint8Array(33 * MIB))
    expect(await on.copy(`${key} large`, `${key} large copy`)).toBe(true)
    expect(operations).toContain('UploadPartCopy')
    const upload = await on.createUpload(`${key} parts`)
    await upload.putPart(1, encode('3'))
    await upload.complete()
    expect(await on.head(`${key} parts`)).toMatchObject({ bytes: 1 })

    const get = await on.presignGet!(key, { expiresAt })
    expect(await textOf((await fetchAnew(get.url)).body!)).toBe('2')
    const put = await on.presignPut!(`${key} sent`, { expiresAt, bytes: 4, ifNoneMatch: '*' })
    const sent = await fetchAnew(put.url, { method: 'PUT', headers: put.headers, body: 'sent' })
    expect([sent.status, (await on.head(`${key} sent`))?.bytes]).toEqual([200, 4])

    expect([...tried].sort()).toEqual(Object.keys(storage).sort())
    expect(denied).toEqual([])
  })

  it('the driver cleans up after an upload that failed', async () => {
    proxy.follow((seen) => asAws(seen) ?? (seen.query.has('partNumber') ? 500 : undefined))
    const large = storage.put(`${PREFIX}acme/large`, new Uint8Array(33 * MIB))
    await expect(large).rejects.toThrow()
    expect(operations).toContain('AbortMultipartUpload')
    expect(denied).toEqual([])
  })

  it('the service runs scripts, keeps files and opens links', async () => {
    const { app, run, tokenOf } = await makeApp({ storage, env: { KEY_PREFIX: PREFIX } })
    const answer = await run(`
      io.open("a/1.csv", "w"):write("1,2\\n"):close()
      io.open("a/1.csv", "a"):write("3,4\\n"):close()
      io.open("share/log", "a"):write("x\\n"):close()
      os.rename("a/1.csv", "b.csv")
      os.remove("share/log")
      return { io.open("b.csv"):read("a"), #io.list("."), io.open("none") == nil }`)
    expect(answer.error).toBeUndefined()
    expect(answer.result).toEqual(['1,2\n3,4\n', 1, true])
    const [row] = answer.files_touched.filter(({ name }) => name === 'b.csv')
    expect(await textOf((await app.request(row!.link!)).body!)).toBe('1,2\n3,4\n')
    expect((await app.request('/health/ready')).status).toBe(200)

    const authorization = { Authorization: `Bearer ${await tokenOf()}` }
    for (const [path, body] of Object.entries({
      '/fs/mkdir': { path: 'empty' },
      '/fs/list': { path: '.', recursive: true },
      '/fs/delete': { path: 'empty', recursive: true },
      '/links/upload': { path: 'in.txt' },
      '/reports': { title: 'Report', content: '# Report' },
    })) {
      const headers = { ...authorization, 'Content-Type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      expect([path, (await app.request(path, init)).status]).toEqual([path, 200])
    }
    expect(denied).toEqual([])
  })

  it('a run that reads one file and writes one asks three times', async () => {
    const { run } = await makeApp({ storage, env: { KEY_PREFIX: PREFIX } })
    await run('io.open("in", "w"):write("1"):close()')
    proxy.follow(asAws)
    await run('io.open("out", "w"):write(io.open("in"):read("a")):close()')
    const methods = [...proxy.counts].map(([name, times]) => [name.split(' ')[0], times])
    expect(Object.fromEntries(methods)).toEqual({ HEAD: 1, GET: 1, PUT: 1 })
  })

  it.each([
    ['outside of the prefix', 'other/acme/a'],
    ['beside the prefix', 'team/files2/a'],
  ])('nothing is written %s', async (_, key) => {
    await expect(storage.put(key, encode('1'))).rejects.toThrow()
    expect(denied).toEqual([{ action: 's3:PutObject', arn: `arn:aws:s3:::files/${key}` }])
  })

  it('nothing is read from another bucket', async () => {
    const other = s3Storage({ ...s3.settings, bucket: 'other', endpoint: proxy.endpoint })
    await expect(other.get(`${PREFIX}a`)).rejects.toThrow()
    await expect(allOf(other.list(PREFIX))).rejects.toThrow()
    expect(denied.map(({ action }) => action)).toEqual(['s3:GetObject', 's3:ListBucket'])
  })
})

// These look back on all of the above.
describe('the role of the template', () => {
  it('was tried with every request that the driver can make', () => {
    const folder = resolve(import.meta.dirname, '../../../src/storage/s3')
    const sources = readdirSync(folder).map((name) => readFileSync(resolve(folder, name), 'utf8'))
    const commands = sources.flatMap((text) => [...text.matchAll(/new (\w+)Command\(/g)])
    const named = new Set(commands.map(([, name]) => name!))
    expect([...operations].sort()).toEqual([...named].sort())
  })

  it('allows the actions that were needed, and no others', () => {
    expect(grants.map(({ action }) => action).sort()).toEqual([...used].sort())
  })
})

function isGranted({ action, arn }: Needed): boolean {
  return grants.some((grant) => grant.action === action && matches(String(grant.resource), arn))
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function textOf(body: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(body).text()
}
