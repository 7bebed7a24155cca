/** A token that may write but not read: nothing it is given opens what it did not write itself. */
import { describe, expect, it, vi } from 'vitest'
import { createApp } from '../../src/app.ts'
import { makeMcp } from '../mcp/make-mcp.ts'
import { postTo } from '../support/call-route.ts'
import { runtimeStorage, type Answer, type MakeAppOptions } from '../support/make-app.ts'
import { makeFs } from '../support/make-fs.ts'
import { collect, readEvents } from '../support/read-events.ts'
import { watchedStorage } from '../support/watched-storage.ts'

const WRITER = { scope: 'execute files:write' }
const PERSON = { Accept: 'text/html' }
const SECRET = 'not for writers'
const PLANT = `file.save("secret.txt", "${SECRET}")`

type Made = Awaited<ReturnType<typeof makeFs>>

async function makeHolder(options: MakeAppOptions = {}) {
  const made = await makeFs(options)
  await made.run(PLANT)
  return made
}

/** Every address in an answer, wherever it stands. */
function addressesIn(answer: unknown): string[] {
  return JSON.stringify(answer).match(/https:\/\/[^"\s\\]+/g) ?? []
}

/** What each address gives, asked for in all the ways there are. */
async function textsBehind({ app }: Pick<Made, 'app'>, answer: unknown): Promise<string[]> {
  const ways: RequestInit[] = [{}, { headers: PERSON }, { headers: { Range: 'bytes=0-999' } }]
  const suffixes = ['', '&raw=1', '&download=1']
  const asked = addressesIn(answer).flatMap((address) =>
    suffixes.flatMap((suffix) => ways.map((way) => app.request(address + suffix, way))),
  )
  return Promise.all(asked.map(async (response) => (await response).text()))
}

/** Puts the secret in place of a file, as the writer can. */
function moveSecretTo({ run }: Pick<Made, 'run'>, path: string): Promise<Answer> {
  return run(`assert(os.rename("secret.txt", "${path}"))`, {}, WRITER)
}

describe('a run of a token that may not read', () => {
  it.each([
    ['on_close', 'return file.save("secret.txt", "") .. os.rename("x", "y")'],
    ['on_success', 'print(file.save("secret.txt", "")) error("stop")'],
    ['on_success', 'print(file.save("secret.txt", "")) while true do end'],
    ['on_close', 'local l = file.save("tmp/x", "") os.rename("secret.txt", "tmp/x") return l'],
    ['on_success', 'local l = file.save("tmp/x", "") os.rename("secret.txt", "tmp/x") return l'],
    ['on_close', 'os.rename("secret.txt", "a") os.rename("a", "b")'],
    ['on_close', 'file.save("a", "x") os.rename("a", "b") os.rename("secret.txt", "a")'],
    ['on_close', 'local f = io.open("a", "w") os.rename("secret.txt", "a") f:write("x") f:close()'],
    ['on_close', 'local f = io.open("secret.txt", "a") os.rename("secret.txt", "a") f:write("x")'],
    ['on_close', 'io.open("secret.txt", "a"):close()'],
    ['on_close', 'io.open("secret.txt", "a"):write("x"):close()'],
    ['on_success', 'io.open("secret.txt", "a"):write("x"):close()'],
  ])('with %s gets no way to the secret: %s', async (commit, script) => {
    const made = await makeHolder({ limits: { fuel: 5_000_000 } })
    const answer = await made.run(script, { commit }, WRITER)
    const texts = await textsBehind(made, answer)
    expect(texts.filter((text) => text.includes(SECRET))).toEqual([])
  })

  it('gets the name from file.save, not a link', async () => {
    const { run } = await makeHolder()
    const { result } = await run('return file.save("./out//a.txt", "x")', {}, WRITER)
    expect(result).toBe('out/a.txt')
  })

  it.each([
    ['wrote', 'file.save("a", "own")'],
    ['wrote in two parts', 'local f = io.open("a", "w") f:write("o") f:write("wn") f:close()'],
    ['wrote over the secret', 'file.save("secret.txt", "own")'],
    ['appended to after writing', 'file.save("a", "o") io.open("a", "a"):write("wn"):close()'],
    ['began by appending', 'io.open("a", "a"):write("own"):close()'],
  ])('gets a link to what it %s', async (_, script) => {
    const made = await makeHolder()
    const { files_touched } = await made.run(script, {}, WRITER)
    const [row] = files_touched
    expect(row).toMatchObject({ url: row!.link, url_expires_at: row!.expires_at })
    expect(await (await made.app.request(row!.link!)).text()).toBe('own')
  })

  it.each([
    ['a file it renamed', 'file.save("a", "x") os.rename("a", "b")'],
    ['a file that was there and it appended to', 'io.open("secret.txt", "a"):write("x"):close()'],
    ['a file that it removed', 'file.save("a", "x") os.remove("a")'],
    ['a file that is not stored', 'file.save("a", "x") error("stop")'],
  ])('gets no link to %s', async (_, script) => {
    const { run } = await makeHolder()
    const answer = await run(script, { commit: 'on_success' }, WRITER)
    expect(answer.files_touched.length).toBeGreaterThan(0)
    expect(addressesIn(answer)).toEqual([])
  })

  it('sees no link in the events of its files', async () => {
    const { post } = await makeHolder()
    const script = `file.save("a", "x") for i = 1, 20 do pcall(os.rename, "none" .. i, "b") end
      file.save("c", "x")`
    const response = await post({ script }, { Accept: 'text/event-stream' }, WRITER)
    const events = await collect(readEvents(response))
    expect(events.filter(([name]) => name === 'file')).toEqual([
      ['file', { name: 'a', op: 'write', bytes: 1 }],
      ['file', { name: 'c', op: 'write', bytes: 1 }],
    ])
    expect(addressesIn(events.find(([name]) => name === 'result'))).toHaveLength(4)
  })
})

describe('a run of a token that may not read, whose file somebody else writes meanwhile', () => {
  /** Puts the secret in place of `a` when the run asks for `gate`, or before it first stores `a`. */
  async function makeShared(moment: 'gate' | 'put') {
    const inner = await runtimeStorage()
    let isReplaced = false
    const storage = watchedStorage(inner, async (request, key) => {
      const isMoment = moment === 'gate' ? request === 'head' : request === 'put'
      const [name, own] = moment === 'gate' ? ['/gate', key.replace(/gate$/, 'a')] : ['/a', key]
      if (isReplaced || !isMoment || !key.endsWith(name)) return
      isReplaced = true
      // What the script closed goes to the store while it waits for the gate.
      if (moment === 'gate') await vi.waitUntil(() => inner.head(own))
      await inner.put(own, new TextEncoder().encode(SECRET))
    })
    return makeFs({ storage })
  }

  async function outcomeOf(made: Made, script: string) {
    const answer = await made.run(script, {}, WRITER)
    const { content } = await made.fs<{ content: string }>('read', { path: 'a' })
    return [content, addressesIn(answer)]
  }

  it.each([
    [
      'what it had written',
      'gate',
      'file.save("a", "x") os.rename("gate", "b") io.open("a", "a"):write("y"):close()',
    ],
    ['what was not there before', 'put', 'io.open("a", "a"):write("y"):close()'],
  ] as const)('gets no link when it appends to %s', async (_, moment, script) => {
    const made = await makeShared(moment)
    expect(await outcomeOf(made, script)).toEqual([`${SECRET}y`, []])
  })
})

describe('a link given to a token that may not read', () => {
  interface Given {
    readonly path: string
    readonly link: string
  }
  async function byRun({ run }: Made, script = 'file.save("a.md", "# own")'): Promise<Given> {
    const { files_touched } = await run(script, {}, WRITER)
    return { path: files_touched[0]!.name, link: files_touched[0]!.link! }
  }
  const byWrite = ({ fs }: Made) => fs<Given>('write', { path: 'a.txt', content: 'own' }, WRITER)
  async function byReport(made: Made, format: string): Promise<Given> {
    const report = { title: 'T', content: 'own', format }
    return (await (await postTo(made, 'reports', report, WRITER)).json()) as Given
  }

  /** Each stores one file of the writer's own, and tells its path and link. */
  const GIVEN: [string, (made: Made) => Promise<Given>][] = [
    ['a run', (made) => byRun(made)],
    ['a run with a large result', (made) => byRun(made, 'return ("own"):rep(100000)')],
    ['write', byWrite],
    [
      'PUT /fs/content',
      async ({ content }) => {
        const response = await content('a.txt', { method: 'PUT', body: 'own' }, WRITER)
        return ((await response.json()) as { data: Given }).data
      },
    ],
    ['a report in Markdown', (made) => byReport(made, 'markdown')],
    ['a report in HTML', (made) => byReport(made, 'html')],
  ]

  it.each(GIVEN)('by %s opens what it wrote, and nothing that comes after', async (_, give) => {
    const made = await makeHolder()
    const { path, link } = await give(made)
    expect(await (await made.app.request(link)).text()).toContain('own')
    const { error } = await moveSecretTo(made, path)
    expect(error).toBeUndefined()
    const texts = await textsBehind(made, link)
    expect(texts.filter((text) => text.includes(SECRET))).toEqual([])
    expect((await made.app.request(link)).status).toBe(404)
  })

  it('opens no other version of the same bytes, and none that was appended to', async () => {
    const made = await makeHolder()
    const { link } = await byRun(made)
    await made.run('file.save("a.md", "# own")')
    expect((await made.app.request(link)).status).toBe(404)
    const again = await byRun(made)
    await made.run('io.open("a.md", "a"):write("more"):close()')
    expect((await made.app.request(again.link)).status).toBe(404)
  })

  it('opens no upload', async () => {
    const made = await makeHolder()
    const { path, link } = await byWrite(made)
    const upload = await postTo(made, 'links/upload', { path }, WRITER)
    const { url } = (await upload.json()) as { url: string }
    expect((await made.app.request(url, { method: 'PUT', body: 'theirs' })).status).toBe(201)
    expect((await made.app.request(link)).status).toBe(404)
  })

  it('of another version is 404 to every kind of request', async () => {
    const made = await makeHolder()
    const { link } = await byRun(made)
    await made.run('file.save("a.md", "theirs")')
    const { etag } = await made.fs<{ etag: string }>('info', { path: 'a.md' })
    const requests: RequestInit[] = [
      { method: 'HEAD' },
      { headers: { Range: 'bytes=0-1' } },
      { headers: { Range: 'bytes=900-' } },
      { headers: { 'If-None-Match': `"${etag}"` } },
      { headers: { 'If-None-Match': '*' } },
      { headers: { 'If-Modified-Since': new Date(Date.now() + 1e6).toUTCString() } },
      { headers: { 'If-Range': `"${etag}"`, Range: 'bytes=0-1' } },
      { method: 'HEAD', headers: { Accept: 'text/html' } },
    ]
    for (const request of requests) {
      const response = await made.app.request(link, request)
      expect([response.status, response.headers.get('ETag')]).toEqual([404, null])
    }
  })

  it('of another version is a page to a person and JSON to a program', async () => {
    const made = await makeHolder()
    const { link } = await byRun(made)
    await made.run('file.save("a.md", "theirs")')
    const message = 'The file this link was made for is gone: replaced, renamed or removed.'
    const json = await (await made.app.request(link)).json()
    expect(json).toMatchObject({ error: { code: 'not_found', message } })
    const page = await made.app.request(link, { headers: PERSON })
    expect(page.status).toBe(404)
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=UTF-8')
    expect(await page.text()).toContain(message)
    await made.run('os.remove("a.md")')
    expect(await (await made.app.request(link)).json()).toMatchObject({ error: { message } })
  })

  it('answers ranges and conditions on its own version, and shows its Markdown as a page', async () => {
    const made = await makeHolder()
    const { link } = await byWrite(made)
    const whole = await made.app.request(link)
    const etag = whole.headers.get('ETag')!
    const part = await made.app.request(link, { headers: { Range: 'bytes=1-2' } })
    expect([part.status, await part.text()]).toEqual([206, 'wn'])
    const known = await made.app.request(link, { headers: { 'If-None-Match': etag } })
    expect(known.status).toBe(304)
    const head = await made.app.request(link, { method: 'HEAD' })
    expect([head.status, head.headers.get('Content-Length')]).toEqual([200, '3'])
    const page = await made.app.request((await byRun(made)).link, { headers: PERSON })
    expect(await page.text()).toContain('<h1')
  })

  it.each(['getStream', 'head'] as const)(
    'holds when the file is replaced just before %s',
    async (step) => {
      const inner = await runtimeStorage()
      let replace: (() => Promise<unknown>) | undefined
      const storage = watchedStorage(inner, (request) => (request === step ? replace?.() : null))
      const made = await makeHolder({ storage })
      const { path, link } = await byRun(made)
      const body = new TextEncoder().encode(SECRET)
      replace = () => inner.put(`${made.tenant}/users/alice/${path}`, body)
      for (const headers of [{}, { Accept: 'text/html' }, { Range: 'bytes=0-1' }]) {
        const response = await made.app.request(link, { headers })
        expect([response.status, (await response.text()).includes(SECRET)]).toEqual([404, false])
        replace = undefined
        const again = await byRun(made)
        replace = () => inner.put(`${made.tenant}/users/alice/${again.path}`, body)
      }
    },
  )

  it('never leads to the store itself', async () => {
    const inner = await runtimeStorage()
    const expiresAt = new Date(Date.now() + 3_600_000)
    const presigned = { url: 'https://store.test/signed', expiresAt, headers: {} }
    const made = await makeHolder({ storage: { ...inner, presignGet: async () => presigned } })
    const app = createApp({ service: { ...made.service, redirectsLinks: true } })
    const reader = await made.run('file.save("r.txt", "own")')
    expect(reader.files_touched[0]!.url).toBe(presigned.url)
    expect((await app.request(reader.files_touched[0]!.link!)).status).toBe(302)

    const writer = await made.run('file.save("w.txt", "own")', {}, WRITER)
    expect(writer.files_touched[0]!.url).toBe(writer.files_touched[0]!.link)
    const response = await app.request(writer.files_touched[0]!.link!)
    expect([response.status, await response.text()]).toEqual([200, 'own'])
  })
})

describe('a model whose token may not read', () => {
  const ask = { claims: WRITER }

  it.each([
    ['execute_script', { script: 'file.save("a.txt", "own")' }, 'a.txt'],
    ['file_write', { path: 'a.txt', content: 'own' }, 'a.txt'],
    ['save_result_page', { title: 'T', content: 'own' }, undefined],
    ['execute_script', { script: 'return ("own"):rep(10000)' }, undefined],
    ['execute_script', { script: 'for i = 1, 999 do print("own own own") end' }, undefined],
  ])('gets from %s %j links to its own version only', async (tool, args, name) => {
    const made = await makeMcp()
    await made.run(PLANT)
    const answer = await made.call(tool, args, ask)
    const files = answer.content.filter(({ type }) => type === 'resource_link')
    expect(files).toHaveLength(1)
    const path = name ?? files[0]!.name!
    expect(await (await made.app.request(files[0]!.uri!)).text()).toContain('own')
    expect((await moveSecretTo(made, path)).error).toBeUndefined()
    const texts = await textsBehind(made, answer)
    expect(texts.length).toBeGreaterThan(0)
    expect(texts.filter((text) => text.includes(SECRET))).toEqual([])
  })

  it.each([
    ['get_file_link', 'tools/call', { name: 'get_file_link', arguments: { path: 'secret.txt' } }],
    [
      'get_file_link of a folder',
      'tools/call',
      { name: 'get_file_link', arguments: { path: '.' } },
    ],
    ['resources/list', 'resources/list', {}],
    ['resources/read', 'resources/read', { uri: 'moonbucket:///secret.txt' }],
  ])('is refused %s', async (_, method, params) => {
    const made = await makeMcp()
    await made.run(PLANT)
    const { status, answer } = await made.ask(method, params, ask)
    expect(status).toBe(403)
    expect(answer.error?.message).toBe('The token lacks the scope "files:read".')
  })
})

it('a token that may not read makes no link over HTTP, and reads no bytes', async () => {
  const made = await makeHolder()
  for (const path of ['secret.txt', '.']) {
    expect((await postTo(made, 'links', { path }, WRITER)).status).toBe(403)
  }
  expect((await made.content('secret.txt', {}, WRITER)).status).toBe(403)
  expect((await made.content('secret.txt', { method: 'HEAD' }, WRITER)).status).toBe(403)
})
