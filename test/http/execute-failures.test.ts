/** Runs that fail: the request has succeeded all the same, and nothing the script did is hidden. */
import { describe, expect, it } from 'vitest'
import { failingStorage } from '../support/failing-storage.ts'
import { lateStorage } from '../support/late-storage.ts'
import { LINKED } from '../support/linked.ts'
import { makeApp, runtimeStorage, type Answer } from '../support/make-app.ts'
import { gatedStorage } from '../support/gated-storage.ts'
import { watchedStorage } from '../support/watched-storage.ts'

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
    const { storage } = await gatedStorage()
    const { run } = await makeApp({ storage })
    const script = 'print("waiting") io.open("a", "w"):write("x"):close() io.open("gate")'
    expect(await run(script, { limits: { timeout_ms: 80 } })).toEqual({
      result: null,
      logs: ['waiting'],
      files_touched: [{ name: 'a', op: 'write', bytes: 1, ...LINKED }],
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
    const { run, stored } = await makeApp()
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
        { name: 'closed', op: 'write', bytes: 3, ...LINKED },
        { name: 'open', op: 'write', bytes: 2, ...LINKED },
      ],
    })
    expect(await stored()).toEqual({ 'users/alice/closed': 'abc', 'users/alice/open': 'de' })
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

  it.each([
    ['fails', new Error('the store is down')],
    ['throws in its own way', 'odd'],
  ])('gives scripts error 5 when it %s', async (_, thrown) => {
    const storage = watchedStorage(await runtimeStorage(), () => {
      throw thrown
    })
    const { run } = await makeApp({ storage })
    const { result, error } = await run('return {select(2, io.open("a"))}')
    expect({ result, error }).toEqual({ result: ['a: Input/output error', 5], error: undefined })
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
    expect(files_touched).toEqual([{ name: 'a', op: 'write', bytes: 1, ...LINKED }])
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
