/** The Worker for S3 stores, with a real store and the settings it would be deployed with. */
import { expect, it, vi } from 'vitest'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { SECRETS, signToken } from '../../support/sign-token.ts'

const settings = vi.hoisted((): Record<string, string> => ({}))
vi.mock('cloudflare:workers', () => ({ env: settings }))

const s3 = await sharedS3()
Object.assign(settings, { STORAGE: 's3', ...s3.vars, ...SECRETS })

it('lets the store itself send what a link opens', async () => {
  const { default: worker } = await import('../../../src/entry/workers-s3.ts')
  const token = await signToken({ tenant: 'redirected', sub: 'alice' })
  const request = new Request('https://h/execute', {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({ script: 'io.open("a.txt", "w"):write("text"):close()' }),
  })
  const response = await worker.fetch(request)
  const { files_touched } = (await response.json()) as { files_touched: [{ link: string }] }
  const opened = await worker.fetch(new Request(files_touched[0].link))
  const location = opened.headers.get('Location') ?? ''
  expect([opened.status, location.startsWith(s3.endpoint)]).toEqual([302, true])
  expect(await (await fetchAnew(location)).text()).toBe('text')
})
