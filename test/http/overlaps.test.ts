/** Reading, writing and removing a file while it is on its way to the store, or from it. */
import { describe, expect, it } from 'vitest'
import type { ObjectBody } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { byteLengthOf } from '../../src/storage/object-body.ts'
import { makeApp } from '../support/make-app.ts'
import { watchedStorage, type Watch } from '../support/watched-storage.ts'

const MEBIBYTE = 1024 * 1024

const encode = (text: string) => new TextEncoder().encode(text)
const pause = () => new Promise((resolve) => setTimeout(resolve, 10))

/** An app whose store calls back with the paths of alice's files. */
async function appOn(before: Watch, after: Watch = () => {}) {
  const inner = memoryStorage()
  const byPath =
    (watch: Watch): Watch =>
    (request, key, ...rest) =>
      watch(request, key.split('/users/alice/')[1] ?? '', ...rest)
  const made = await makeApp({ storage: watchedStorage(inner, byPath(before), byPath(after)) })
  const put = (path: string, body: ObjectBody) =>
    inner.put(`${made.tenant}/users/alice/${path}`, body)
  const textOf = async (path: string) => (await made.stored())[`users/alice/${path}`]
  return { ...made, put, textOf }
}

describe('a file that is read while it is stored', () => {
  it.each([
    ['AAA', 'AAABBB', 'AAABBBxy'],
    ['AAAAAAAAAA', 'B', 'Bxy'],
  ])('as %j and by then %j ends as %j', async (before, meanwhile, after) => {
    const { run, put, textOf } = await appOn(async (request, path) => {
      if (request === 'put') await pause()
      if (request === 'head' && path === 'gate') await put('log', encode(meanwhile))
    })
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
    const { run, put, stored } = await appOn((request) => (request === 'get' ? pause() : undefined))
    await put('log', encode('AAA'))
    const { result } = await run(`
      local f = io.open("log", "a") f:write("x") f:close()
      local other = io.open("other", "w") other:write("precious")
      return io.open("log"):read("a")`)
    expect(result).toBe('AAAx')
    expect(await stored()).toEqual({ 'users/alice/log': 'AAAx', 'users/alice/other': 'precious' })
  })
})

it('what uploads hold is counted until they end, also of removed files', async () => {
  let held = 0
  let most = 0
  const upload: Watch = async (request, _, body) => {
    if (request !== 'put') return
    held += byteLengthOf(body as ObjectBody)
    most = Math.max(most, held - service.admission.usedBytes)
    await pause()
    held -= byteLengthOf(body as ObjectBody)
  }
  const { run, put, service } = await appOn(upload)
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
  const { run, textOf } = await appOn(async (request, path) => {
    if (request === 'put' && path === 'a') await pause()
  })
  const { files_touched } = await run(`
    local f = io.open("a", "w") f:write("secret") f:close()
    io.open("none")
    os.remove("a")
    f = io.open("a/b", "w") f:write("1") f:close()`)
  expect(await textOf('a')).toBeUndefined()
  expect(files_touched).toMatchObject([
    { name: 'a', op: 'remove' },
    { name: 'a/b', op: 'write' },
  ])
})

it('an edit whose answer was lost is no conflict with the next one', async () => {
  let puts = 0
  const loseFirst: Watch = async (request) => {
    if (request !== 'put') return
    await pause()
    if (puts++ === 0) throw new Error('connection reset')
  }
  const { run, put, textOf } = await appOn(() => {}, loseFirst)
  await put('doc', encode('hello'))
  const { error } = await run(`
    local f = io.open("doc", "r+") f:write("J") f:close()
    io.open("none")
    f = io.open("doc", "r+") f:seek("end") f:write("!") f:close()
    for i = 1, 30 do io.open("none" .. i) end`)
  expect([error, await textOf('doc')]).toEqual([undefined, 'Jello!'])
})
