/** Pages of upload links where the store takes the files itself, since bodies are limited. */
import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import type { PresignPutOptions, StorageDriver } from '../../src/storage/driver.ts'
import { refusalOf } from '../support/call-route.ts'
import { makeApp, type MakeAppOptions } from '../support/make-app.ts'
import { dropLinkFor, putFile } from '../support/upload-link.ts'

const UPLOADS = Array.from({ length: 9 }, (_, i) => String(i).repeat(32))
const HOUR_MS = 3600 * 1000

/** A store whose addresses hold what they allow, and one way to use them. */
async function presigning(options: MakeAppOptions = {}) {
  let now = new Date()
  const made = await makeApp({ ...options, now: () => now })
  let old = new Set<string>()
  const storage: StorageDriver = {
    ...made.storage,
    presignPut: async (key, { expiresAt, ...how }) => ({
      url: `https://store.test/?${new URLSearchParams({ key, how: JSON.stringify(how) })}`,
      headers: { 'content-length': String(how.bytes) },
      expiresAt,
    }),
    async *list(prefix, how) {
      for await (const entry of made.storage.list(prefix, how)) {
        if (entry.kind !== 'object' || !old.has(entry.object.key)) yield entry
        else yield { ...entry, object: { ...entry.object, modifiedAt: new Date(0) } }
      }
    },
  }
  const service = { ...made.service, storage, presignsUploads: true, maxFormBytes: 4_000_000 }
  const app = createApp({ service })

  async function ask(url: string, name: string, bytes: number, upload = UPLOADS[0]!) {
    const query = `&name=${encodeURIComponent(name)}&bytes=${bytes}&upload=${upload}`
    return app.request(url + query, { method: 'POST' })
  }

  /** As the store does with a presigned PUT. */
  async function sendTo(answer: Response, text: string): Promise<void> {
    const { url } = (await answer.json()) as { url: string }
    const { key, how } = Object.fromEntries(new URL(url).searchParams) as Record<string, string>
    const allowed = JSON.parse(how!) as Omit<PresignPutOptions, 'expiresAt'>
    expect([allowed.ifNoneMatch, text.length]).toEqual(['*', allowed.bytes])
    await made.storage.put(key!, new TextEncoder().encode(text), {
      ifNoneMatch: '*',
      metadata: allowed.metadata ?? {},
    })
  }

  const files = async () =>
    Object.keys(await made.stored()).filter((key) => key.startsWith('users/'))
  /** All marks so far seem to be from long ago. */
  const age = async () => void (old = new Set(Object.keys(await made.textsUnder())))
  const wait = (ms: number) => void (now = new Date(now.getTime() + ms))
  return { ...made, app, ask, sendTo, files, age, wait }
}

describe('a page whose files go straight to the store', () => {
  it('may connect to the store, and says what a plain form takes', async () => {
    const made = await presigning()
    const url = await dropLinkFor(made)
    const page = await made.app.request(url, { headers: { Accept: 'text/html' } })
    expect(page.headers.get('Content-Security-Policy')).toContain(
      "connect-src 'self' https://store.test;",
    )
    const html = await page.text()
    expect(html).toContain('data-bytes="52428800" data-folder data-direct')
    expect(html).toContain('Without JavaScript, at most <data value="4000000">4.0 MB</data>')
  })

  it('gets an address for each file, which only creates it, and counts it', async () => {
    const made = await presigning()
    const url = await dropLinkFor(made, { max_files: 2, max_bytes: 6 })
    await made.sendTo(await made.ask(url, 'a', 3, UPLOADS[0]), 'one')
    await made.sendTo(await made.ask(url, 'a', 2, UPLOADS[1]), 'to')
    expect(await made.files()).toEqual(['users/alice/inbox/a', 'users/alice/inbox/a (2)'])
    expect((await made.ask(url, 'b', 0, UPLOADS[2])).status).toBe(503)
    expect((await putFile(made, url, 'b', '')).status).toBe(503)
    await made.age()
    expect(await refusalOf(await made.ask(url, 'b', 0, UPLOADS[2]))).toBe(
      '409 conflict: This link has received all 2 files that it accepts.',
    )
  }, 20_000)

  it('counts what never arrived no longer than it may arrive', async () => {
    const made = await presigning()
    const url = await dropLinkFor(made, { max_files: 1 })
    expect((await made.ask(url, 'a', 3, UPLOADS[0])).status).toBe(200)
    expect((await made.ask(url, 'b', 3, UPLOADS[1])).status).toBe(503)
    await made.age()
    expect((await made.ask(url, 'b', 3, UPLOADS[1])).status).toBe(200)
  }, 20_000)

  it('tries again with the same address, and learns that the first try arrived', async () => {
    const made = await presigning()
    const url = await dropLinkFor(made, { max_files: 1 })
    await made.ask(url, 'a', 3)
    await made.sendTo(await made.ask(url, 'a', 3), 'one')
    const again = await made.ask(url, 'a', 3)
    expect([again.status, await again.json()]).toEqual([201, { path: 'inbox/a', bytes: 3 }])
    expect(made.events.filter(({ event }) => event === 'change')).toHaveLength(1)
  })

  it('begins anew if another file took the name', async () => {
    const made = await presigning()
    const url = await dropLinkFor(made)
    await made.ask(url, 'a', 3)
    await made.run('file.save("inbox/a", "two")')
    await made.sendTo(await made.ask(url, 'a', 3), 'one')
    expect(await made.files()).toEqual(['users/alice/inbox/a', 'users/alice/inbox/a (2)'])
  })

  it('cannot begin an upload after its time', async () => {
    const made = await presigning()
    const url = await dropLinkFor(made)
    await made.ask(url, 'a', 3)
    made.wait(HOUR_MS)
    expect(await refusalOf(await made.ask(url, 'a', 3))).toBe(
      '409 conflict: The upload took too long. Choose the file again.',
    )
  })

  it('stays within the quota of the tenant', async () => {
    const made = await presigning({ env: { QUOTA_BYTES: '5' } })
    const url = await dropLinkFor(made)
    expect((await made.ask(url, 'a', 5, UPLOADS[0])).status).toBe(200)
    expect((await made.ask(url, 'b', 1, UPLOADS[1])).status).toBe(507)
  })

  it.each(['', '&bytes=x', `&bytes=1`, `&bytes=-1&upload=${UPLOADS[0]}`])(
    'is refused with %j',
    async (query) => {
      const made = await presigning()
      const url = await dropLinkFor(made)
      const response = await made.app.request(`${url}&name=a${query}`, { method: 'POST' })
      expect(response.status).toBe(400)
    },
  )
})

it('elsewhere the service takes the files', async () => {
  const made = await makeApp()
  const url = await dropLinkFor(made)
  const query = `&name=a&bytes=1&upload=${UPLOADS[0]}`
  expect(await refusalOf(await made.app.request(url + query, { method: 'POST' }))).toBe(
    '400 malformed: Send the file itself, by PUT.',
  )
})
