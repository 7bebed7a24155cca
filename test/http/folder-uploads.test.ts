/**
 * Upload links to a folder: several new files, within totals that hold for all of them together.
 */
import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { AttemptTimedOut } from '../../src/storage/errors.ts'
import { invalid, postTo, refusalOf } from '../support/call-route.ts'
import { makeApp, ORIGIN } from '../support/make-app.ts'
import { dropLinkFor, openBody, putFile } from '../support/upload-link.ts'
import { watchedStorage } from '../support/watched-storage.ts'

type Made = Awaited<ReturnType<typeof makeApp>>

/** Files only: what the service remembers about links is no file. */
async function filesOf({ stored }: Pick<Made, 'stored'>) {
  const all = Object.entries(await stored())
  return Object.fromEntries(all.filter(([key]) => !key.startsWith('used-links/')))
}

async function marksOf({ stored }: Pick<Made, 'stored'>) {
  return Object.entries(await stored()).filter(([key]) => /^used-links\/.*mark-/.test(key))
}

/** Two bytes, of which one is there when it counts. */
async function startUpload(made: Pick<Made, 'app' | 'stored'>, url: string) {
  const body = openBody('1')
  const headers = { 'Content-Length': '2' }
  const init = { method: 'PUT', body: body.stream, duplex: 'half', headers } as RequestInit
  const response = Promise.resolve(made.app.request(`${url}&name=slow`, init))
  await expect.poll(async () => (await marksOf(made)).length).toBe(1)
  return { body, response }
}

/** The same app, for which all marks so far are from long ago. */
async function longAfter({ service, storage, tenant, stored }: Made) {
  const old = new Set((await marksOf({ stored })).map(([key]) => `${tenant}/${key}`))
  // Marks are as old as the store says.
  const list: StorageDriver['list'] = async function* (prefix, options) {
    for await (const entry of storage.list(prefix, options)) {
      if (entry.kind !== 'object' || !old.has(entry.object.key)) yield entry
      else yield { ...entry, object: { ...entry.object, modifiedAt: new Date(0) } }
    }
  }
  return createApp({ service: { ...service, storage: { ...storage, list } } })
}

const FULL = '409 conflict: This link has received all 2 files that it accepts.'
const TOO_LARGE =
  '413 too_large: This link accepts 10 bytes in all. This file is too large for what is left of them.'
const UPLOAD = '&upload=0123456789abcdef0123456789abcdef'

describe('an upload link to a folder', () => {
  it('takes several files, each under its own name', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made)
    expect(url).toMatch(`${ORIGIN}/files/in?path=inbox/&token=`)
    const response = await putFile(made, url, 'a.txt', 'one')
    expect([response.status, await response.json()]).toEqual([
      201,
      { path: 'inbox/a.txt', bytes: 3 },
    ])
    expect((await putFile(made, url, 'empty', '')).status).toBe(201)
    expect(await filesOf(made)).toEqual({
      'users/alice/inbox/a.txt': 'one',
      'users/alice/inbox/empty': '',
    })
  })

  it('leads to the root as ./ and to the shared folder, whose name no file takes', async () => {
    const made = await makeApp()
    const root = await dropLinkFor(made, { path: './' })
    expect(root).toContain('/files/in?path=./&token=')
    await putFile(made, root, 'share', 'x')
    await putFile(made, await dropLinkFor(made, { path: 'Share/' }), 'b', 'y')
    expect(await filesOf(made)).toEqual({ 'users/alice/share (2)': 'x', 'share/b': 'y' })
  })

  it('only creates: a taken name gets a number, whether of a file or a folder', async () => {
    const made = await makeApp()
    await made.run('file.save("inbox/a.tar.gz", "0") file.save("inbox/b/c", "0")')
    const url = await dropLinkFor(made)
    const paths: unknown[] = []
    for (const name of [...Array<string>(6).fill('a.tar.gz'), 'b']) {
      paths.push(((await (await putFile(made, url, name, 'x')).json()) as { path: string }).path)
    }
    const numbered = [2, 3, 4, 5, 6, 7].map((number) => `inbox/a.tar (${number}).gz`)
    expect(paths).toEqual([...numbered, 'inbox/b (2)'])
    expect((await filesOf(made))['users/alice/inbox/a.tar.gz']).toBe('0')
  })

  it('takes a body of unknown length up to 8 MiB', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made)
    const send = (chunks: number) => {
      const piece = new Uint8Array(1024 * 1024)
      const body = new ReadableStream({
        start(controller) {
          for (let i = 0; i < chunks; i++) controller.enqueue(piece.slice())
          controller.close()
        },
      })
      const init = { method: 'PUT', body, duplex: 'half' } as RequestInit
      return made.app.request(`${url}&name=${chunks}`, init)
    }
    expect((await send(2)).status).toBe(201)
    expect(await refusalOf(await send(9))).toMatch('413 too_large: Without a Content-Length')
    expect(await marksOf(made)).toHaveLength(1)
  })

  it('needs a name', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made)
    expect(await refusalOf(await made.app.request(url, { method: 'PUT', body: 'x' }))).toBe(
      '400 malformed: This link leads to a folder: add &name= and the name of the file to the address.',
    )
  })

  it('takes only its type, said by the sender or by the name', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made, { content_type: 'text/csv' })
    expect((await putFile(made, url, 'a.csv', 'x')).status).toBe(201)
    expect(await refusalOf(await putFile(made, url, 'a.html', 'x'))).toBe(
      invalid('This link accepts only the Content-Type text/csv.'),
    )
  })

  it('stores within the quota of its tenant', async () => {
    const made = await makeApp({ env: { QUOTA_BYTES: '5' } })
    const url = await dropLinkFor(made)
    expect((await putFile(made, url, 'a', '12345')).status).toBe(201)
    expect((await putFile(made, url, 'b', '1')).status).toBe(507)
    expect(await marksOf(made)).toHaveLength(1)
    expect(Object.keys(await filesOf(made)).filter((key) => key.includes('inbox'))).toHaveLength(1)
  })

  it('leaves an event for each file that it stored', async () => {
    const made = await makeApp({ env: { AUDIT_PATHS: 'plain' } })
    const url = await dropLinkFor(made)
    await putFile(made, url, 'a', '12')
    await putFile(made, url, '..', '12')
    const changes = made.events.filter(({ event }) => event === 'change')
    expect(changes).toEqual([
      expect.objectContaining({ op: 'upload', path: 'inbox/a', bytes: 2, user: 'alice' }),
    ])
  })

  it.each<[object, string]>([
    [{ bytes: 5 }, invalid('bytes: is only for one file')],
    [{ max_files: 0 }, invalid('max_files: must be at least 1')],
    [{ max_files: 501 }, invalid('max_files: must be at most 500')],
    [{ max_bytes: 10_000_000_001 }, invalid('max_bytes: must be at most 10000000000')],
    [{ path: 'a', max_files: 2 }, invalid('max_files: is only for a path that ends in /')],
    [{ path: '' }, '400 invalid_path: path cannot be empty'],
    [{ path: 'a/'.repeat(32) }, '400 invalid_path: path is not valid: more than 32 levels deep'],
    [
      { path: `${'x'.repeat(500)}/` },
      '400 invalid_path: The path of the folder is too long for files in it.',
    ],
    [
      { path: 'dir/file/' },
      '409 conflict: "dir/file" is a file, so nothing can be put below it. Choose another path.',
    ],
  ])('is not made of %j', async (body, refusal) => {
    const made = await makeApp()
    await made.run('file.save("dir/file", "")')
    const response = await postTo(made, 'links/upload', { path: 'inbox/', ...body })
    expect(await refusalOf(response)).toBe(refusal)
  })
})

describe('the totals of a link', () => {
  it('hold for all files together', async () => {
    const made = await makeApp()
    const few = await dropLinkFor(made, { max_files: 2 })
    const small = await dropLinkFor(made, { max_bytes: 10 })
    await putFile(made, few, 'a', '')
    await putFile(made, few, 'b', 'x')
    expect(await refusalOf(await putFile(made, few, 'c', ''))).toBe(FULL)
    expect(await refusalOf(await putFile(made, small, 'd', '12345678901'))).toBe(TOO_LARGE)
    await putFile(made, small, 'd', '1234567')
    expect(await refusalOf(await putFile(made, small, 'e', '1234'))).toBe(TOO_LARGE)
    expect((await putFile(made, small, 'e', '123')).status).toBe(201)
  })

  it('are met exactly by those who come at the same time', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made, { max_files: 5, max_bytes: 40 })
    const sent = await Promise.all(
      Array.from({ length: 12 }, (_, i) => putFile(made, url, `f${i}`, '12345678')),
    )
    const stored = Object.values(await filesOf(made))
    expect(stored.length).toBeLessThanOrEqual(5)
    expect(sent.filter(({ status }) => status === 201)).toHaveLength(stored.length)
    // Who was refused for others that were refused, too, gets in now.
    for (let left = 5 - stored.length; left > 0; left--) {
      expect((await putFile(made, url, `later ${left}`, '12345678')).status).toBe(201)
    }
    expect((await putFile(made, url, 'more', '')).status).toBe(409)
  }, 20_000)

  it('are kept for an upload under way, and whoever finds no room is asked to come back', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made, { max_files: 1 })
    const slow = await startUpload(made, url)
    const refused = await putFile(made, url, 'quick', 'x')
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '5'])
    slow.body.end('2')
    expect((await slow.response).status).toBe(201)
    expect((await putFile(made, url, 'quick', 'x')).status).toBe(409)
    expect(await filesOf(made)).toEqual({ 'users/alice/inbox/slow': '12' })
  }, 20_000)

  it('are not used up by an upload that breaks off', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made, { max_files: 1 })
    const slow = await startUpload(made, url)
    slow.body.break()
    expect((await slow.response).status).toBe(400)
    expect((await putFile(made, url, 'a', 'whole')).status).toBe(201)
    expect(await filesOf(made)).toEqual({ 'users/alice/inbox/a': 'whole' })
  })

  it('forget an upload whose server died, when its time is over', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made, { max_files: 1 })
    const dying = { ...made.storage, delete: () => Promise.reject(new Error('died')) }
    const app = createApp({ service: { ...made.service, storage: dying } })
    const slow = await startUpload({ ...made, app }, url)
    slow.body.break()
    await slow.response
    expect(await marksOf(made)).toHaveLength(1)
    expect((await putFile(made, url, 'b', 'x')).status).toBe(503)
    const later = await longAfter(made)
    expect((await putFile({ app: later }, url, 'b', 'x')).status).toBe(201)
    expect(await filesOf(made)).toEqual({ 'users/alice/inbox/b': 'x' })
  }, 20_000)

  it('are never passed by an upload that goes on after its time', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made, { max_files: 1 })
    const slow = await startUpload(made, url)
    const later = await longAfter(made)
    expect((await putFile({ app: later }, url, 'b', 'x')).status).toBe(201)
    slow.body.end('2')
    expect(await refusalOf(await slow.response)).toBe(
      '409 conflict: The upload took too long. Send the file again.',
    )
    expect(await filesOf(made)).toEqual({ 'users/alice/inbox/b': 'x' })
  }, 20_000)

  it('count a file that may have been stored, and none that the store does not have', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made, { max_files: 1 })
    const failing = (error: Error) => {
      const putStream: StorageDriver['putStream'] = async (_, body) => {
        await new Response(body).arrayBuffer()
        throw error
      }
      return createApp({ service: { ...made.service, storage: { ...made.storage, putStream } } })
    }
    const app = failing(new Error('out of order'))
    expect(await refusalOf(await putFile({ app }, url, 'a', 'x', UPLOAD))).toBe(
      '503 storage_unavailable: The store cannot be reached right now. Try again shortly.',
    )
    const silent = failing(new AttemptTimedOut(1))
    expect(await refusalOf(await putFile({ app: silent }, url, 'a', 'x', UPLOAD))).toBe(
      '503 storage_unavailable: It is not known whether the file was stored. It counts for this link: look for the file before it is sent again.',
    )
    expect((await putFile(made, url, 'a', 'x', UPLOAD)).status).toBe(503)
    expect((await putFile(made, url, 'b', 'x')).status).toBe(409)
  }, 20_000)
})

describe('a second try of the same upload', () => {
  it('finds what the first stored, and neither stores nor counts it again', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made, { max_files: 2 })
    const first = await putFile(made, url, 'a', 'text', UPLOAD)
    const second = await putFile(made, url, 'a', 'text', UPLOAD)
    expect([second.status, await second.json()]).toEqual([201, await first.json()])
    expect((await putFile(made, url, 'a', 'text')).status).toBe(201)
    expect(Object.keys(await filesOf(made))).toEqual([
      'users/alice/inbox/a',
      'users/alice/inbox/a (2)',
    ])
    expect(made.events.filter(({ event }) => event === 'change')).toHaveLength(2)
  })

  it.each(['x', '0123', 'G'.repeat(32), '../a'])('has no id like %j', async (id) => {
    const made = await makeApp()
    const url = await dropLinkFor(made)
    const refused = await putFile(made, url, 'a', 'x', `&upload=${encodeURIComponent(id)}`)
    expect(await refusalOf(refused)).toBe(
      '400 malformed: The parameter "upload" must be 32 hexadecimal digits.',
    )
  })
})

it('a name that another file takes meanwhile is free for the next try', async () => {
  const made = await makeApp()
  const url = await dropLinkFor(made, { max_files: 1 })
  let isFirst = true
  const storage = watchedStorage(made.storage, async (request, key) => {
    if (request !== 'putStream' || !isFirst) return
    isFirst = false
    await made.storage.put(key, new TextEncoder().encode('of others'))
  })
  const app = createApp({ service: { ...made.service, storage } })
  const refused = await putFile({ app }, url, 'a', 'x', UPLOAD)
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([409, '1'])
  expect((await putFile({ app }, url, 'a', 'x', UPLOAD)).status).toBe(201)
  expect(await filesOf(made)).toEqual({
    'users/alice/inbox/a': 'of others',
    'users/alice/inbox/a (2)': 'x',
  })
})

it('what is remembered of a link goes when the link has long ended', async () => {
  let now = new Date('2026-11-16T10:00:00Z')
  const made = await makeApp({ now: () => now })
  await putFile(made, await dropLinkFor(made, { ttl_s: 60 }), 'a', 'x', UPLOAD)
  const remembered = async () =>
    Object.keys(await made.stored()).filter((key) => key.startsWith('used-links/')).length
  expect(await remembered()).toBe(2)
  now = new Date('2026-11-18T10:00:00Z')
  await putFile(made, await dropLinkFor(made, { ttl_s: 60 }), 'b', 'x')
  await expect.poll(remembered).toBe(1)
})
