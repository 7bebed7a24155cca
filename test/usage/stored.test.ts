/** Quotas on stored bytes and files, at every way into the store. */
import { describe, expect, it } from 'vitest'
import { makeQuotaApp } from './make-quota-app.ts'

describe('a quota on stored bytes', () => {
  it('lets files in up to the last byte, and refuses the next with 507', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 })
    expect((await app.write('a.txt', 600)).status).toBe(200)
    expect((await app.write('b.txt', 400)).status).toBe(200)
    const refused = await app.write('c.txt', 1)
    expect(refused.status).toBe(507)
    const { error } = (await refused.json()) as { error: string }
    expect(error).toContain('storage quota exceeded (1000 bytes): 1000 are used, and 1 more')
    expect(error).toContain('Delete files')
    expect(await app.filesOf()).toEqual({ bytes: 1000, objects: 2 })
  })

  it('counts anew before it refuses: deleted files count no longer', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 })
    await app.write('a.txt', 600)
    await app.write('b.txt', 300)
    await app.remove('a.txt')
    expect((await app.write('c.txt', 700)).status).toBe(200)
    expect(await app.usage()).toEqual({ stored_bytes: { used: 1000, allowed: 1000 } })
  })

  it('counts a replaced file twice until everything is counted', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 })
    for (const bytes of [400, 300, 200]) await app.write('a.txt', bytes)
    expect((await app.usage()).stored_bytes.used).toBe(900)
    expect((await app.write('a.txt', 600)).status).toBe(200)
    expect((await app.usage()).stored_bytes.used).toBe(800)
    expect(await app.filesOf()).toEqual({ bytes: 600, objects: 1 })
  })

  it('counts at most once a minute before refusals', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 })
    await app.write('a.txt', 900)
    expect((await app.write('b.txt', 200)).status).toBe(507)
    await app.remove('a.txt')
    app.requests.length = 0
    expect((await app.write('b.txt', 200)).status).toBe(507)
    expect(app.requests).toEqual(['put', 'list', 'delete'])
  })

  it('answers a run with kind limit, and rows that say what was not stored', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 })
    const answer = await app.run(`
      io.open("a.txt", "w"):write(("x"):rep(900)):close()
      io.open("b.txt", "w"):write(("x"):rep(900)):close()
      return 7
    `)
    expect(answer.result).toBe(7)
    expect(answer.error?.kind).toBe('limit')
    expect(answer.error?.message).toMatch(/^storage quota exceeded \(1000 bytes\): 1000 are used/)
    expect(answer.error?.message).toContain('Not stored: ')
    const stored = answer.files_touched.filter((row) => row.stored !== false)
    expect(stored).toHaveLength(1)
    expect(await app.filesOf()).toEqual({ bytes: 900, objects: 1 })
  })

  it('limits the number of files, too', async () => {
    const app = await makeQuotaApp({ QUOTA_OBJECTS: 2 })
    for (const path of ['a', 'b']) expect((await app.write(path, 5)).status).toBe(200)
    const refused = await app.write('c', 5)
    expect(refused.status).toBe(507)
    expect(await refused.text()).toContain('storage quota exceeded (2 files): 2 are used')
    const folder = await app.send('/fs/mkdir', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"path": "d"}',
    })
    expect(folder.status).toBe(507)
  })

  it('covers all callers of a tenant together, and no other tenant', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 })
    await app.write('a.txt', 400)
    await app.write('share/b.txt', 300)
    await app.write('c.txt', 300, { sub: 'bob' })
    expect((await app.write('d.txt', 1, { sub: undefined })).status).toBe(507)
    expect((await app.write('a.txt', 1000, { tenant: `${app.tenant}2` })).status).toBe(200)
  })

  it('counts reports, uploads and appends', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 })
    const json = { 'Content-Type': 'application/json' }
    const put = await app.send('/fs/content?path=a.txt', { method: 'PUT', body: 'x'.repeat(1001) })
    expect(put.status).toBe(507)
    const report = { title: 'T', content: 'x'.repeat(1000) }
    const body = JSON.stringify(report)
    expect((await app.send('/reports', { method: 'POST', headers: json, body })).status).toBe(507)
    await app.run('io.open("log", "a"):write(("x"):rep(600)):close()')
    const more = await app.run('io.open("log", "a"):write(("x"):rep(600)):close()')
    expect(more.error?.kind).toBe('limit')
    expect(await app.filesOf()).toEqual({ bytes: 600, objects: 1 })
  })

  it('counts uploads by link, and leaves the link usable', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 })
    const made = await app.send('/links/upload', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"path": "in.txt"}',
    })
    const { url } = (await made.json()) as { url: string }
    const upload = (bytes: number) =>
      app.app.request(url, {
        method: 'PUT',
        body: 'x'.repeat(bytes),
        headers: { 'Content-Length': String(bytes) },
      })
    const refused = await upload(1001)
    expect([refused.status, await refused.text()]).toEqual([507, expect.stringContaining('quota')])
    expect((await upload(1000)).status).toBe(201)
  })
})

describe('what it costs', () => {
  it('is two requests per writing run, whatever it writes', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 10_000_000 })
    await app.write('first', 1)
    app.requests.length = 0
    await app.run('for i = 1, 100 do io.open("f" .. i, "w"):write("x"):close() end')
    expect(app.requests).toEqual(['put', 'list'])
  })

  it('is nothing for a run that writes nothing, and nothing without a quota', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 })
    await app.run('return io.open("a")')
    expect(app.requests).toEqual([])
    const free = await makeQuotaApp({})
    await free.run('io.open("a", "w"):write("x"):close()')
    await free.write('b', 5)
    expect([free.requests, await free.marks()]).toEqual([[], []])
  })
})
