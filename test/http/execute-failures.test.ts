/** Runs that fail: the request has succeeded all the same, and nothing the script did is hidden. */
import { describe, expect, it } from 'vitest'
import type { PutOptions, StorageDriver } from '../../src/storage/driver.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { lateStorage } from '../support/late-storage.ts'
import { makeApp, runtimeStorage, type Answer } from '../support/make-app.ts'

const LINKS = {
  url: expect.any(String),
  url_expires_at: expect.any(String),
  link: expect.any(String),
  expires_at: expect.any(String),
}

/** The same store, with `before` called ahead of every put. */
async function storageWithPut(
  before: (storage: StorageDriver, key: string, options: PutOptions) => Promise<void>,
): Promise<StorageDriver> {
  const storage = await runtimeStorage()
  return {
    ...storage,
    async put(key, body, options = {}) {
      await before(storage, key, options)
      return storage.put(key, body, options)
    },
  }
}

describe('a script that fails', () => {
  it.each([
    ['syntax', 'return return', {}],
    ['runtime', 'local t = nil; return t.x', {}],
    ['runtime', 'error({code = 1})', {}],
    ['fuel', 'while true do end', { fuel: 100_000 }],
    ['memory', 'return string.rep("x", 1e8)', {}],
    ['limit', 'local t = {} for i = 1, 65 do t[i] = io.open("f" .. i, "w") end', {}],
    ['limit', 'io.open("a", "w"):write("too much")', { write_bytes: 3 }],
    ['result', 'local t = {} t.t = t return t', {}],
  ])('has HTTP 200 and kind %s: %s', async (kind, script, limits) => {
    const { post } = await makeApp()
    const response = await post({ script, limits })
    expect(response.status).toBe(200)
    const answer = (await response.json()) as Answer
    expect(Object.keys(answer)).toEqual(['result', 'logs', 'files_touched', 'error'])
    expect(answer).toMatchObject({ result: null, error: { kind, message: expect.any(String) } })
  })

  it('has kind timeout, with what it did before', async () => {
    const storage = await runtimeStorage()
    const never = new Promise<never>(() => {})
    const head: StorageDriver['head'] = (key, options) =>
      key.endsWith('/never') ? never : storage.head(key, options)
    const { run } = await makeApp({ storage: { ...storage, head } })
    const script = 'print("waiting") io.open("a", "w"):write("x"):close() io.open("never")'
    expect(await run(script, { limits: { timeout_ms: 80 } })).toEqual({
      result: null,
      logs: ['waiting'],
      files_touched: [{ name: 'a', op: 'write', bytes: 1, ...LINKS }],
      error: { kind: 'timeout', message: 'the script ran longer than 80 ms' },
    })
  })

  it('says where and how it came there', async () => {
    const { run } = await makeApp()
    const { error } = await run('local function f()\n  error("boom")\nend\nf()')
    expect(error).toEqual({
      kind: 'runtime',
      message: 'script:2: boom',
      line: 2,
      traceback: expect.stringContaining("script:2: in local 'f'"),
    })
  })

  it.each([
    ['error("half-way")', {}],
    ['while true do end', { fuel: 100_000 }],
    ['string.rep("x", 1e8)', {}],
  ])('keeps its logs, the files it wrote and those it left open: %s', async (end, limits) => {
    const { run, textsUnder, tenant } = await makeApp()
    const script = `
      print("one") io.write("two")
      io.open("closed", "w"):write("abc"):close()
      left_open = io.open("open", "w")
      left_open:write("de")
      ${end}`
    const answer = await run(script, { limits })
    expect({ ...answer, error: undefined }).toEqual({
      result: null,
      logs: ['one', 'two'],
      files_touched: [
        { name: 'closed', op: 'write', bytes: 3, ...LINKS },
        { name: 'open', op: 'write', bytes: 2, ...LINKS },
      ],
    })
    const area = `${tenant}/users/alice/`
    expect(await textsUnder()).toEqual({ [`${area}closed`]: 'abc', [`${area}open`]: 'de' })
  })
})

describe('a store that fails', () => {
  it('makes the kind storage, and the result is kept', async () => {
    const { run, events } = await makeApp({
      storage: failingStorage(await runtimeStorage(), ['put']),
    })
    expect(
      await run('print("hi") file.save("b", "22") file.save("a", "1") return {n = 2}'),
    ).toEqual({
      result: { n: 2 },
      logs: ['hi'],
      files_touched: [
        { name: 'a', op: 'write', bytes: 1, stored: false },
        { name: 'b', op: 'write', bytes: 2, stored: false },
      ],
      error: {
        kind: 'storage',
        message: 'not everything was stored; not accepted by the store: a, b',
      },
    })
    const faults = events.filter(({ event }) => event === 'fault')
    expect(faults).toMatchObject([
      { where: 'store', error: expect.stringContaining('the store is down for put') },
    ])
  })

  it('names ten files and counts the rest', async () => {
    const { run } = await makeApp({ storage: failingStorage(await runtimeStorage(), ['put']) })
    const { error } = await run('for i = 10, 21 do file.save("f" .. i, "") end')
    expect(error?.message).toMatch(/: f10, f11, f12, f13, f14, f15, f16, f17, f18, f19 and 2 more$/)
  })

  it('leaves what was to be removed in its row', async () => {
    const storage = await runtimeStorage()
    const whole = await makeApp({ storage })
    await whole.run('file.save("a", "x")')
    const broken = await makeApp({ storage: failingStorage(storage, ['delete']) })
    const { files_touched, error } = await broken.run(
      'os.remove("a")',
      {},
      { tenant: whole.tenant },
    )
    expect(files_touched).toEqual([{ name: 'a', op: 'remove', bytes: 0, stored: false }])
    expect(error?.kind).toBe('storage')
  })

  it('does not hide why the script failed', async () => {
    const { run } = await makeApp({ storage: failingStorage(await runtimeStorage(), ['put']) })
    const { files_touched, error } = await run('file.save("a", "x") error("mine")')
    expect(error).toMatchObject({ kind: 'runtime', message: 'script:1: mine' })
    expect(files_touched).toEqual([{ name: 'a', op: 'write', bytes: 1, stored: false }])
  })

  it('gives scripts error 5, and the service stays up', async () => {
    const { run } = await makeApp({
      storage: failingStorage(await runtimeStorage(), ['get', 'head', 'list']),
    })
    const answer = await run('return {io.open("a")}')
    expect(answer.error).toBeUndefined()
    expect((await run('return {select(2, io.open("a"))}')).result).toEqual([
      'a: Input/output error',
      5,
    ])
  })

  it('gives error 5 also when it throws in its own way', async () => {
    const storage = await runtimeStorage()
    const head = () => {
      throw 'odd' // oxlint-disable-line no-throw-literal
    }
    const { run } = await makeApp({ storage: { ...storage, head } })
    expect((await run('return {select(2, io.open("a"))}')).result).toEqual([
      'a: Input/output error',
      5,
    ])
  })

  it('that is only late changes nothing', async () => {
    const { run } = await makeApp({ storage: lateStorage(await runtimeStorage()) })
    await run('for i = 1, 9 do file.save("f" .. i, tostring(i)) end')
    const script = 'local s = "" for i = 1, 9 do s = s .. io.open("f" .. i):read("a") end return s'
    expect(await run(script)).toEqual({ result: '123456789', logs: [], files_touched: [] })
  })

  it('that cannot presign now still gives short links', async () => {
    const storage = await runtimeStorage()
    const presignGet = () => Promise.reject(new Error('the credentials have expired'))
    const { app, run, events } = await makeApp({ storage: { ...storage, presignGet } })
    const { result, files_touched } = await run('file.save("a", "x") return 1')
    expect(result).toBe(1)
    expect(files_touched).toEqual([{ name: 'a', op: 'write', bytes: 1, ...LINKS }])
    const [row] = files_touched
    expect(row!.url).toBe(row!.link)
    expect(await (await app.request(row!.link!)).text()).toBe('x')
    expect(events).toContainEqual(
      expect.objectContaining({
        event: 'fault',
        where: 'presign',
        error: expect.stringContaining('the credentials have expired'),
      }),
    )
  })
})

describe('a file that somebody else changes meanwhile', () => {
  it('is not overwritten by r+, and the error names it', async () => {
    const storage = await storageWithPut(async (store, key, { ifMatch }) => {
      if (ifMatch !== undefined)
        await store.put(key, new TextEncoder().encode('a stranger was here'))
    })
    const { run, textsUnder, tenant } = await makeApp({ storage })
    await run('file.save("data/edited.txt", "mine")')
    const script = 'local f = io.open("data/edited.txt", "r+") f:write("M") f:close() return 1'
    expect(await run(script)).toEqual({
      result: 1,
      logs: [],
      files_touched: [{ name: 'data/edited.txt', op: 'write', bytes: 4, stored: false }],
      error: {
        kind: 'storage',
        message:
          'not everything was stored; changed by someone else in the meantime: data/edited.txt',
      },
    })
    expect(await textsUnder()).toEqual({
      [`${tenant}/users/alice/data/edited.txt`]: 'a stranger was here',
    })
  })
})
