/** Many small things: names, entries, links and requests by the thousand hold nobody up and leave nothing behind. */
import { describe, expect, it } from 'vitest'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { MAX_LISTED_ENTRIES } from '../../src/files/run/names.ts'
import { makeMcp } from '../mcp/make-mcp.ts'
import { postTo } from '../support/call-route.ts'
import { makeApp, ORIGIN } from '../support/make-app.ts'
import { makeFs } from '../support/make-fs.ts'
import { runLua } from '../support/run-lua.ts'

/** A store whose folders never end, as far as anybody cares to look; counts what was looked at. */
function endlessStorage(keyOf: (prefix: string, i: number) => string) {
  const seen = { entries: 0 }
  const storage: StorageDriver = {
    ...memoryStorage(),
    async *list(prefix, { startAfter = '', limit = Infinity } = {}) {
      const start = Number(/\d+$/.exec(startAfter)?.[0] ?? -1) + 1
      for (let i = start; i < start + limit; i++) {
        seen.entries++
        if (seen.entries > 1_000_000) throw new Error('nobody stopped')
        const object = { key: keyOf(prefix, i), bytes: 0, etag: 'x', modifiedAt: new Date(0) }
        yield { kind: 'object', object }
      }
    },
  }
  return { storage, seen }
}

const numbered = (prefix: string, i: number) => `${prefix}f${String(i).padStart(9, '0')}`

describe('a folder without end', () => {
  it('is an error to io.list, before it fills the host', async () => {
    const { storage, seen } = endlessStorage(numbered)
    const script =
      'local names, message, code = io.list("d") return { names == nil, message, code }'
    const { result, error } = await runLua(script, { storage })
    expect({ result, error }).toEqual({
      result: [true, 'd: File too large', 27],
      error: undefined,
    })
    expect(seen.entries).toBeLessThanOrEqual(MAX_LISTED_ENTRIES + 1)
  })

  it('of as many as fit is listed, and paid for', async () => {
    const count = 20_000
    const storage = memoryStorage()
    for (let i = 0; i < count; i++) await storage.put(numbered('area/d/', i), new Uint8Array())
    const { result, fuelUsed } = await runLua('return #io.list("d")', { storage })
    expect(result).toBe(count)
    expect(fuelUsed).toBeGreaterThan(count * 100)
    const small = await runLua('return #io.list("d")', {
      storage,
      limits: { memoryBytes: 1024 * 1024 },
    })
    expect(small.error).toMatchObject({ kind: 'memory' })
  })

  it.each([
    ['list', { path: 'd' }],
    ['list', { path: 'd', recursive: true }],
    ['find', { path: 'd', pattern: '*' }],
    ['find', { path: 'd', pattern: '**' }],
  ])('is listed in pages by /fs/%s %j', async (operation, input) => {
    const { storage, seen } = endlessStorage(numbered)
    const { fs } = await makeFs({ storage })
    const { entries } = await fs<{ entries: unknown[] }>(operation, input)
    expect(entries.length).toBeLessThanOrEqual(1000)
    expect(seen.entries).toBeLessThan(3000)
  })

  it('is listed in pages to models, and in a page behind a link', async () => {
    const { storage, seen } = endlessStorage(numbered)
    const made = await makeMcp({ storage })
    const { resources } = await made.result<{ resources: unknown[] }>('resources/list')
    expect(resources.length).toBeLessThanOrEqual(100)
    const response = await postTo(made, 'links', { path: 'd' })
    const { link } = (await response.json()) as { link: string }
    const page = (await (await made.app.request(link)).json()) as { entries: unknown[] }
    expect(page.entries.length).toBe(1000)
    expect(seen.entries).toBeLessThan(10_000)
  })
})

describe('links by the hundred', () => {
  it.each(['links', 'links/upload'])('made by /%s are stored nowhere', async (route) => {
    const made = await makeApp()
    await made.run('file.save("a.txt", "")')
    const before = await made.textsUnder()
    const links = new Set<string>()
    for (let i = 0; i < 200; i++) {
      const response = await postTo(made, route, { path: 'a.txt', ttl_s: 60 + i })
      const { link, url } = (await response.json()) as { link?: string; url: string }
      links.add(link ?? url)
    }
    expect(links.size).toBe(200)
    expect(await made.textsUnder()).toEqual(before)
  })

  it('forged ask the store nothing, and count against nobody', async () => {
    let asked = 0
    const ask = () => Promise.reject(new Error(`asked ${++asked} times`))
    const counted: string[] = []
    const { app } = await makeApp({
      storage: { ...memoryStorage(), head: ask, get: ask, getStream: ask, put: ask },
      countRequest: async (tenant) => counted.push(tenant) > 0,
    })
    for (let i = 0; i < 200; i++) {
      const query = `path=f${i}&token=${'A'.repeat(60 + (i % 5))}`
      expect((await app.request(`${ORIGIN}/files/out?${query}`)).status).toBe(403)
      const init = { method: 'PUT', body: 'x' }
      expect((await app.request(`${ORIGIN}/files/in?${query}`, init)).status).toBe(403)
    }
    expect({ asked, counted }).toEqual({ asked: 0, counted: [] })
  })

  it('made in one run by file.save cost a file each, and end with the limit on files', async () => {
    const script = `
      local links = {}
      for i = 1, 50 do links[i] = file.save("a.txt", "") end
      for i = 1, 50 do links[i] = select(2, pcall(file.save, "f" .. i, "")) end
      return links[50]`
    const { result, files } = await runLua(script, { limits: { filesTouched: 10 } })
    expect(result).toBe('too many files (max 10)')
    expect(files).toHaveLength(10)
  })
})

describe('names by the thousand', () => {
  it('looked for in vain leave nothing behind, and listing pays for them', async () => {
    const script = `
      for i = 1, args do io.open("missing" .. i) end
      return #io.list()`
    const few = await runLua(script, { args: 10 })
    const many = await runLua(script, { args: 3000 })
    expect([few.result, many.result, many.files]).toEqual([0, 0, []])
    expect(many.fuelUsed).toBeGreaterThan(few.fuelUsed + 3000 * 100)
  })

  it('as keys of args, a result or logs are bounded by their own limits', async () => {
    const { post } = await makeApp()
    const names = Array.from({ length: 100_000 }, (_, i) => `"n${i}":0`).join()
    const body = `{"script": "local n = 0 for _ in pairs(args) do n = n + 1 end return n", "args": {${names}}}`
    expect(await (await post(body)).json()).toMatchObject({ result: 100_000 })
    const objects = `[${'{},'.repeat(300_000)}0]`
    expect((await post(`{"script": "return 1", "args": ${objects}}`)).status).toBe(413)
    const values = `[${'0,'.repeat(1_100_000)}0]`
    expect((await post(`{"script": "return 1", "args": ${values}}`)).status).toBe(413)
  })
})

it('a tenant who asks too often is refused before a body is read or the store is asked', async () => {
  let reads = 0
  const body = new ReadableStream({
    pull(controller) {
      reads++
      controller.enqueue(new Uint8Array(1000))
    },
  })
  const { app, tokenOf } = await makeApp({ countRequest: async () => false })
  const headers = { Authorization: `Bearer ${await tokenOf()}` }
  const request = new Request(`${ORIGIN}/fs/content?path=a`, {
    method: 'PUT',
    body,
    headers,
    duplex: 'half',
  } as RequestInit)
  const response = await app.request(request)
  expect([response.status, response.headers.get('Retry-After')]).toEqual([429, '60'])
  // One chunk is what a stream fetches by itself.
  expect(reads).toBeLessThanOrEqual(1)
})
