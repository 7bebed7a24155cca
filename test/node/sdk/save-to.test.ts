/** Answers that become files without passing through the script, and files that become bodies. */
import { afterAll, describe, expect, it } from 'vitest'
import { inQuery, type ApiSketches } from '../../support/make-catalog.ts'
import { ORIGIN } from '../../support/make-app.ts'
import { makeApiApp, type MakeApiAppOptions } from './make-api-app.ts'
import { sendJson, sendText, startApi } from './start-api.ts'

const MB = 1024 * 1024

const api = await startApi()
afterAll(() => api.stop())

const SKETCHES: ApiSketches = {
  a: {
    baseUrl: api.origin,
    calls: {
      get: { params: [inQuery('n')] },
      post: {
        method: 'POST',
        body: { contentTypes: ['application/octet-stream', 'multipart/form-data'], type: 'string' },
      },
    },
  },
}

async function makeFiles(options: MakeApiAppOptions = {}) {
  const app = await makeApiApp(SKETCHES, options)
  /** Everything stored, by path. */
  async function stored(): Promise<Record<string, string>> {
    const entries = Object.entries(await app.textsUnder())
    return Object.fromEntries(
      entries.map(([key, text]) => [key.split('/').slice(3).join('/'), text]),
    )
  }
  return { ...app, stored }
}

describe('save_to', () => {
  it('keeps the bytes as they are, and tells where', async () => {
    const app = await makeFiles()
    const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => i % 256)
    api.answer((_, response) => sendText(response, 201, 'Image/PNG; x=y', bytes))
    const { result, files_touched: rows } = await app.run(
      'return sdk.a.get({}, {save_to = "output/./pics//a.png"})',
    )
    expect(result).toEqual({
      path: 'output/pics/a.png',
      bytes: 70_000,
      content_type: 'image/png',
      status: 201,
    })
    expect(rows).toMatchObject([{ name: 'output/pics/a.png', op: 'write', bytes: 70_000 }])
    const opened = await app.app.request(rows[0]!.link!)
    expect(new Uint8Array(await opened.arrayBuffer())).toEqual(bytes)
  })

  it.each([
    ['JSON', 'application/json', '{"a": 9007199254740993}'],
    ['JSON that is none', 'application/json', '{"a": '],
    ['a page', 'text/html', '<p>'],
    ['nothing', 'application/json', ''],
  ])('takes %s as it comes', async (_, contentType, text) => {
    const app = await makeFiles()
    api.answer((__, response) => sendText(response, 200, contentType, text))
    expect(await app.resultOf('return sdk.a.get({}, {save_to = "a"}).bytes')).toBe(text.length)
    expect(await app.stored()).toEqual({ a: text })
  })

  it.each([
    ['rows.CSV', 'id,text\r\n1,a\r\n2,"b,c"\r\n'],
    ['rows.jsonl', '{"id":1,"text":"a"}\n{"id":2,"text":"b,c"}\n'],
  ])('writes rows as the name %s says', async (name, text) => {
    const app = await makeFiles()
    const items = [
      { id: 1, text: 'a' },
      { id: 2, text: 'b,c' },
    ]
    api.answer(() => ({ items }))
    await app.resultOf(`return sdk.a.get({}, {save_to = "${name}", rows = "items"})`)
    expect(await app.stored()).toEqual({ [name]: text })
  })

  it('can be read by the script that asked for it', async () => {
    const app = await makeFiles()
    api.answer((_, response) => sendText(response, 200, 'text/csv', 'a,b\n1,2\n'))
    const script = `
      sdk.a.get({}, {save_to = "rows.csv"})
      local lines = {}
      for line in io.lines("rows.csv") do lines[#lines + 1] = line end
      return lines`
    expect(await app.resultOf(script)).toEqual(['a,b', '1,2'])
  })

  it('stores no error', async () => {
    const app = await makeFiles()
    api.answer((_, response) => sendJson(response, 404, {}))
    expect(await app.raisedBy('sdk.a.get({}, {save_to = "a"})')).toMatchObject({ status: 404 })
    expect(await app.stored()).toEqual({})
  })

  it('never brings the body into the VM or the answer', async () => {
    const app = await makeFiles()
    api.answer((_, response) =>
      sendText(response, 200, 'application/json', `["${'row,'.repeat(500_000)}"]`),
    )
    const body = { limits: { memory_bytes: 2 * MB } }
    const text = await app.answerText(
      `for i = 1, 4 do sdk.a.get({}, {save_to = "big" .. i .. ".json"}) end
       return collectgarbage("count") < 1024`,
      body,
    )
    expect(JSON.parse(text)).toMatchObject({ result: true, files_touched: { length: 4 } })
    expect(text).not.toContain('row,row')
    // The same answer does not fit where it must be a value.
    expect(await app.run('return #sdk.a.get{}[1]', body)).toMatchObject({
      error: { kind: 'memory' },
    })
  })

  it.each([
    ['../x', "path cannot contain '..' traversal"],
    ['/etc/passwd', 'path must be relative'],
    ['', 'path cannot be empty'],
    ['a\\0b', 'path cannot contain null bytes'],
    ['a\\\\b', 'path is not valid: contains a backslash'],
    ['folder/', 'path is not valid: names a folder'],
  ])('%j is refused before anything is sent', async (path, message) => {
    const app = await makeFiles()
    api.answer(() => ({}))
    expect(await app.raisedBy(`sdk.a.post({body = "x"}, {save_to = "${path}"})`)).toEqual({
      code: 'file_error',
      message,
    })
    expect([api.seen, await app.stored()]).toEqual([[], {}])
  })

  it('is refused where the token may not write, before anything is sent', async () => {
    const app = await makeFiles()
    api.answer(() => ({}))
    const script =
      'local ok, e = pcall(sdk.a.post, {body = "x"}, {save_to = "a"}) return {ok, e.message}'
    const { result } = await app.run(script, {}, { scope: 'execute files:read' })
    expect(result).toEqual([false, 'files cannot be changed: scope files:write is missing'])
    const outside = await app.run(script, {}, { paths: ['mine'] })
    expect(outside.result).toEqual([false, 'path is not allowed'])
    expect(api.seen).toEqual([])
  })

  it('counts against the limit on saved bytes, and no other', async () => {
    const limits = { saveBytes: 1000, writeBytes: 10, apiCallBytes: 10, apiBytes: 10 }
    const app = await makeFiles({ limits })
    api.answer((_, response) => sendText(response, 200, 'text/plain', 'x'.repeat(400)))
    const script = `
      local told = {}
      for i = 1, 4 do
        local ok, e = pcall(sdk.a.get, {}, {save_to = "f" .. i})
        told[i] = ok or {e.code, e.message}
      end
      return told`
    const refused = ['limit', 'too many bytes saved from APIs (max 1000)']
    expect(await app.resultOf(script)).toEqual([true, true, refused, refused])
    expect(Object.keys(await app.stored())).toEqual(['f1', 'f2'])
    const { error } = await app.run('for i = 1, 4 do sdk.a.get({}, {save_to = "g" .. i}) end')
    expect(error).toMatchObject({ kind: 'limit' })
  })

  it('counts as touching a file', async () => {
    const app = await makeFiles({ limits: { filesTouched: 3 } })
    api.answer(() => ({}))
    const many = await app.run('for i = 1, 4 do sdk.a.get({}, {save_to = "h" .. i}) end')
    expect(many.error).toMatchObject({ kind: 'limit', message: 'script:1: too many files (max 3)' })
    expect(api.seen).toHaveLength(3)
  })

  it('side by side keeps each to its own file', async () => {
    const app = await makeFiles()
    api.answer(async ({ query }) => {
      await new Promise((resolve) => setTimeout(resolve, 20 - Number(query.get('n'))))
      return query.get('n')
    })
    const script = `local calls = {}
      for i = 1, 15 do calls[i] = {sdk.a.get, {n = i}, {save_to = "n/" .. i}} end
      io.open("open.txt", "w"):write("buffered")
      local _, errors = sdk.parallel(calls)
      return errors == nil`
    expect(await app.resultOf(script)).toBe(true)
    const expected = Array.from({ length: 15 }, (_, i) => [`n/${i + 1}`, `"${i + 1}"`])
    expect(await app.stored()).toEqual({ ...Object.fromEntries(expected), 'open.txt': 'buffered' })
  })

  it('is undone by an error where that is wanted', async () => {
    const app = await makeFiles()
    api.answer(() => ({ a: 1 }))
    const script = 'sdk.a.get({}, {save_to = "a.json"}) error("no")'
    expect(await app.run(script, { commit: 'on_success' })).toMatchObject({
      files_touched: [{ name: 'a.json', stored: false }],
    })
    expect(await app.stored()).toEqual({})
    await app.run(script)
    expect(await app.stored()).toEqual({ 'a.json': '{"a":1}' })
  })
})

describe('a file as body', () => {
  it('is sent whole, also one that is read in pieces', async () => {
    const app = await makeFiles({ limits: { residentBytes: 3 * MB } })
    const write = `local f = io.open("big.bin", "w") for i = 1, 40 do f:write(("%05d"):format(i):rep(10000)) end f:close()`
    await app.resultOf(write)
    const large = await makeFiles({ storage: app.storage })
    api.answer(({ bytes }) => ({ length: bytes.length, tail: bytes.subarray(-5).toString() }))
    for (const one of [app, large]) {
      const script = 'return sdk.a.post{body = {file = "big.bin"}}'
      const { result } = await one.run(script, {}, { tenant: app.tenant })
      expect(result).toEqual({ length: 2_000_000, tail: '00040' })
    }
  })

  it('larger than a run may hold is read in pieces, and one larger than a call may send is refused', async () => {
    const app = await makeFiles()
    const token = await app.tokenOf()
    const put = async (name: string, bytes: number) =>
      app.app.request(`${ORIGIN}/fs/content?path=${name}`, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${token}` },
        body: Buffer.alloc(bytes, 'y'),
      })
    expect((await put('a.bin', 6 * MB)).status).toBeLessThan(300)
    expect((await put('b.bin', 9 * MB)).status).toBeLessThan(300)
    api.answer(({ bytes }) => ({ length: bytes.length }))
    const small = await makeFiles({ storage: app.storage, limits: { residentBytes: 2 * MB } })
    const { tenant } = app
    const send = (name: string) => `return sdk.a.post{body = {file = "${name}"}}.length`
    expect((await small.run(send('a.bin'), {}, { tenant })).result).toBe(6 * MB)
    expect((await app.run(send('b.bin'))).result).toBe(9 * MB)
    const both = `local r, e = sdk.parallel{
        {sdk.a.post, {body = {file = "b.bin"}}}, {sdk.a.post, {body = {file = "b.bin"}}}}
      return {r[1] and 1 or 0, r[2] and 1 or 0, (e[1] or e[2]).message}`
    const { result } = await app.run(both)
    expect(result).toMatchObject({
      length: 3,
      2: 'API calls send too much at once (max 16777216 bytes)',
    })
    expect((result as number[])[0]! + (result as number[])[1]!).toBe(1)
  })

  it.each([
    ['missing.bin', 'missing.bin: No such file or directory'],
    ['../secret', "path cannot contain '..' traversal"],
    ['/etc/passwd', 'path must be relative'],
  ])('%s is refused before anything is sent', async (path, message) => {
    const app = await makeFiles()
    api.answer(() => ({}))
    const parts = `sdk.a.post({body = {f = {file = "${path}"}}}, {content_type = "multipart/form-data"})`
    for (const call of [`sdk.a.post{body = {file = "${path}"}}`, parts]) {
      expect(await app.raisedBy(call)).toEqual({ code: 'file_error', message })
    }
    expect(api.seen).toEqual([])
  })

  it('is refused where the token may not read', async () => {
    const app = await makeFiles()
    await app.resultOf('file.save("a.txt", "secret")')
    api.answer(() => ({}))
    const script = 'local ok, e = pcall(sdk.a.post, {body = {file = "a.txt"}}) return e.message'
    const { result } = await app.run(script, {}, { scope: 'execute files:write' })
    expect(result).toBe('files cannot be read: scope files:read is missing')
    expect(api.seen).toEqual([])
  })

  it('that this run has just written is as it was written', async () => {
    const app = await makeFiles()
    api.answer(({ body, headers }) => ({ body, type: headers['content-type'] }))
    const script = `io.open("a.txt", "w"):write("fresh"):close()
      return sdk.a.post{body = {file = "a.txt"}}`
    expect(await app.resultOf(script)).toEqual({ body: 'fresh', type: 'application/octet-stream' })
  })

  it('does not use up handles', async () => {
    const app = await makeFiles()
    api.answer(() => ({}))
    const script = `io.open("a.txt", "w"):write("x"):close()
      for i = 1, 80 do sdk.a.post{body = {file = "a.txt"}} end
      for i = 1, 100 do pcall(sdk.a.post, {body = {file = "none"}}) end
      local open = {}
      for i = 1, 64 do open[i] = assert(io.open("a.txt")) end
      return {#open, select(2, pcall(sdk.a.post, {body = {file = "a.txt"}})).message}`
    expect(await app.resultOf(script)).toEqual([64, 'too many open files (max 64)'])
  })
})
