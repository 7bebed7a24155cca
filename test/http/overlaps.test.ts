/** Reading, writing and removing a file while it is on its way to the store, or from it. */
import { describe, expect, it } from 'vitest'
import type { ObjectBody, StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { byteLengthOf } from '../../src/storage/object-body.ts'
import { makeApp } from '../support/make-app.ts'

const MEBIBYTE = 1024 * 1024

const encode = (text: string) => new TextEncoder().encode(text)
const pause = () => new Promise((resolve) => setTimeout(resolve, 10))

async function appOn(inner: StorageDriver, wrap: (keyOf: (path: string) => string) => object) {
  let tenant = ''
  const keyOf = (path: string) => `${tenant}/users/alice/${path}`
  const app = await makeApp({ storage: { ...inner, ...wrap(keyOf) } })
  tenant = app.tenant
  const textOf = async (path: string) => {
    const object = await inner.get(keyOf(path))
    return object && new TextDecoder().decode(object.body)
  }
  const put = (path: string, body: ObjectBody) => inner.put(keyOf(path), body)
  return { ...app, keyOf, textOf, put }
}

describe('a file that is read while it is stored', () => {
  it.each([
    ['AAA', 'AAABBB', 'AAABBBxy'],
    ['AAAAAAAAAA', 'B', 'Bxy'],
  ])('as %j and by then %j ends as %j', async (before, meanwhile, after) => {
    const inner = memoryStorage()
    const { run, put, textOf } = await appOn(inner, (keyOf) => ({
      put: async (...request: Parameters<StorageDriver['put']>) => {
        await pause()
        return inner.put(...request)
      },
      head: async (...request: Parameters<StorageDriver['head']>) => {
        if (request[0] === keyOf('gate')) await inner.put(keyOf('log'), encode(meanwhile))
        return inner.head(...request)
      },
    }))
    await put('log', encode(before))
    await put('gate', encode('g'))
    const { files_touched } = await run(`
      local f = io.open("log", "a") f:write("x")
      io.open("gate"):close()
      f:close()
      local r = io.open("log") r:read("a")
      for i = 1, 40 do io.open("none" .. i) end
      r:close()
      f = io.open("log", "a") f:write("y") f:close()`)
    expect(await textOf('log')).toBe(after)
    expect(files_touched).toMatchObject([{ name: 'log', op: 'append', bytes: after.length }])
  })

  it('gives what the script expects, however slow the store is', async () => {
    const inner = memoryStorage()
    const { run, put, textOf } = await appOn(inner, () => ({
      get: async (...request: Parameters<StorageDriver['get']>) => {
        await pause()
        return inner.get(...request)
      },
    }))
    await put('log', encode('AAA'))
    const { result } = await run(`
      local f = io.open("log", "a") f:write("x") f:close()
      local other = io.open("other", "w") other:write("precious")
      return io.open("log"):read("a")`)
    expect([result, await textOf('log'), await textOf('other')]).toEqual([
      'AAAx',
      'AAAx',
      'precious',
    ])
  })
})

it('what uploads hold is counted until they end, also of removed files', async () => {
  const inner = memoryStorage()
  let held = 0
  let most = 0
  const { run, put, service } = await appOn(inner, () => ({
    put: async (_: string, body: ObjectBody) => {
      held += byteLengthOf(body)
      most = Math.max(most, held - service.admission.usedBytes)
      await pause()
      held -= byteLengthOf(body)
      return { etag: crypto.randomUUID() }
    },
  }))
  for (let i = 0; i < 6; i++) await put(`f${i}`, new Uint8Array(20 * MEBIBYTE))
  const { logs } = await run(`
    for i = 0, 5 do
      local f, message = io.open("f" .. i, "r+")
      if f then f:write("x") f:close() os.remove("f" .. i) else print(message) end
    end`)
  expect(most).toBeLessThanOrEqual(0)
  expect(logs.every((line) => line.endsWith('File too large'))).toBe(true)
})

it('a removed file does not come back with an upload that was under way', async () => {
  const inner = memoryStorage()
  const { run, textOf } = await appOn(inner, (keyOf) => ({
    put: async (...request: Parameters<StorageDriver['put']>) => {
      if (request[0] === keyOf('a')) await pause()
      return inner.put(...request)
    },
  }))
  const { files_touched } = await run(`
    local f = io.open("a", "w") f:write("secret") f:close()
    io.open("none")
    os.remove("a")
    f = io.open("a/b", "w") f:write("1") f:close()`)
  expect(await textOf('a')).toBeNull()
  expect(files_touched).toMatchObject([
    { name: 'a', op: 'remove' },
    { name: 'a/b', op: 'write' },
  ])
})

it('an edit whose answer was lost is no conflict with the next one', async () => {
  const inner = memoryStorage()
  let puts = 0
  const { run, put, textOf } = await appOn(inner, () => ({
    put: async (...request: Parameters<StorageDriver['put']>) => {
      const answer = await inner.put(...request)
      await pause()
      if (puts++ === 0) throw new Error('connection reset')
      return answer
    },
  }))
  await put('doc', encode('hello'))
  const { error } = await run(`
    local f = io.open("doc", "r+") f:write("J") f:close()
    io.open("none")
    f = io.open("doc", "r+") f:seek("end") f:write("!") f:close()
    for i = 1, 30 do io.open("none" .. i) end`)
  expect([error, await textOf('doc')]).toEqual([undefined, 'Jello!'])
})

describe('a caller who may write but not read', () => {
  const writer = { scope: 'execute files:write' }

  it.each([
    ['opened to append', 'io.open("secret.txt", "a"):close()'],
    ['renamed', 'os.rename("secret.txt", "mine.txt")'],
    ['appended to', 'io.open("secret.txt", "a"):write("x"):close()'],
  ])('gets no link to a file that was %s', async (_, script) => {
    const { run, put } = await appOn(memoryStorage(), () => ({}))
    await put('secret.txt', encode('not for writers'))
    const { files_touched } = await run(script, {}, writer)
    expect(files_touched.length).toBeGreaterThan(0)
    expect(files_touched.flatMap(({ url, link }) => [url ?? [], link ?? []].flat())).toEqual([])
  })

  it('gets links to what it wrote itself', async () => {
    const { app, run } = await appOn(memoryStorage(), () => ({}))
    const script =
      'local f = io.open("mine.txt", "w") f:write("mine") f:close() return file.save("b", "b")'
    const { files_touched, result } = await run(script, {}, writer)
    const links = files_touched.map(({ link }) => link!)
    const texts = await Promise.all(links.map(async (link) => (await app.request(link)).text()))
    expect([texts, result]).toEqual([['b', 'mine'], 'b'])
  })
})
