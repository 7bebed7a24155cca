/** The Worker for S3 stores, with a real store and the settings it would be deployed with. */
import { beforeAll, expect, it, vi } from 'vitest'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { sharedS3, type LocalS3 } from '../../support/local-s3.ts'
import { signToken, TEST_SECRET } from '../../support/sign-token.ts'

const settings = vi.hoisted((): Record<string, string> => ({}))
vi.mock('cloudflare:workers', () => ({ env: settings }))

let s3: LocalS3

beforeAll(async () => {
  s3 = await sharedS3()
  Object.assign(settings, {
    STORAGE: 's3',
    S3_ENDPOINT: s3.endpoint,
    S3_BUCKET: s3.settings.bucket,
    S3_ACCESS_KEY_ID: s3.settings.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.settings.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'true',
    AUTH_SECRET: TEST_SECRET,
    LINK_SECRET: 'signs the links of the tests',
  })
})

it('lets the store itself send what a link opens', async () => {
  const { default: app } = await import('../../../src/entry/workers-s3.ts')
  const token = await signToken({ tenant: 'redirected', sub: 'alice' })
  const response = await app.request('https://h/execute', {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({ script: 'io.open("a.txt", "w"):write("text"):close()' }),
  })
  const { files_touched } = (await response.json()) as { files_touched: [{ link: string }] }
  const opened = await app.request(files_touched[0].link)
  const location = opened.headers.get('Location') ?? ''
  expect([opened.status, location.startsWith(s3.endpoint)]).toEqual([302, true])
  expect(await (await fetchAnew(location)).text()).toBe('text')
})
