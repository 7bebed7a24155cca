/** What a run gives that is too long for a model: files, counts and links take its place. */
import { describe, expect, it } from 'vitest'
import type { Answer, MakeAppOptions } from '../support/make-app.ts'
import { makeRuns, RUNS_AT, type ToolAnswer } from './make-mcp.ts'

interface Told extends Answer {
  readonly logs_file?: string
  readonly more_files?: { readonly count: number; readonly folder: string; readonly link?: string }
}

async function makeLong(options: MakeAppOptions = {}) {
  const made = await makeRuns<Told>(options)
  /** The text of a file that an answer tells of, by its link. */
  async function opened({ files_touched: rows }: Told, name: string | undefined): Promise<string> {
    const row = rows.find((one) => one.name === name)
    const response = await made.app.request(row!.link!)
    expect(response.status).toBe(200)
    return response.text()
  }
  return { ...made, opened }
}

/** What one of both forms of an answer takes. */
const bytesOf = ({ structuredContent }: ToolAnswer<unknown>) =>
  new TextEncoder().encode(JSON.stringify(structuredContent)).length

const ABOUT_25_KB = 26_000

describe('a result', () => {
  it('of 16 KB comes as it is', async () => {
    const { script } = await makeLong()
    const answer = await script('return ("x"):rep(16382)')
    expect(answer.structuredContent).toEqual({
      result: 'x'.repeat(16_382),
      logs: [],
      files_touched: [],
    })
    expect(bytesOf(answer)).toBeLessThan(ABOUT_25_KB)
  })

  it('over 16 KB becomes a file with a link, and its beginning stays', async () => {
    const { script, opened } = await makeLong()
    const answer = await script('print("done") return ("x"):rep(16383)')
    const { result, result_file, logs, files_touched: rows, error } = answer.structuredContent
    expect(error).toBeUndefined()
    expect(result).toBe(`"${'x'.repeat(1999)}`)
    expect(result_file).toMatch(/^output\/result_[0-9a-f]{12}\.json$/)
    expect(logs).toEqual(['done'])
    expect(rows).toMatchObject([{ name: result_file, op: 'write', bytes: 16_385 }])
    expect(answer.content).toMatchObject([
      {},
      { type: 'resource_link', name: result_file, size: 16_385 },
    ])
    expect(await opened(answer.structuredContent, result_file)).toBe(`"${'x'.repeat(16_383)}"`)
    expect(bytesOf(answer)).toBeLessThan(ABOUT_25_KB)
  })

  it('that cannot be kept is an error with its beginning', async () => {
    const { script } = await makeLong()
    const claims = { scope: 'execute files:read' }
    const answer = await script('return ("x"):rep(20000)', {}, { claims })
    expect(answer.structuredContent).toMatchObject({
      result: `"${'x'.repeat(1999)}`,
      files_touched: [],
      error: {
        kind: 'result',
        message:
          'the result has 20002 bytes, more than the 16384 that an answer may have, and cannot be kept as a file: this run may not write files',
      },
    })
    expect(answer.isError).toBe(true)
  })
})

describe('logs', () => {
  it('of 8 KB come as they are', async () => {
    const { script } = await makeLong()
    const answer = await script('for i = 1, 128 do print(("x"):rep(63)) end')
    expect(answer.structuredContent).toEqual({
      result: null,
      logs: Array(128).fill('x'.repeat(63)),
      files_touched: [],
    })
  })

  it('over 8 KB become a file with a link; a notice and their end stay', async () => {
    const { script, opened } = await makeLong()
    const answer = await script('for i = 1, 9000 do print(i) end return "ok"')
    const { result, logs, logs_file, files_touched: rows } = answer.structuredContent
    expect(result).toBe('ok')
    expect(logs_file).toMatch(/^output\/logs_[0-9a-f]{12}\.txt$/)
    expect(rows).toMatchObject([{ name: logs_file, op: 'write' }])
    const [notice, ...tail] = logs
    expect(notice).toBe(`[8600 earlier lines are in ${logs_file}]`)
    expect(tail).toEqual(Array.from({ length: 400 }, (_, i) => String(8601 + i)))
    const all = Array.from({ length: 9000 }, (_, i) => `${i + 1}\n`).join('')
    expect(await opened(answer.structuredContent, logs_file)).toBe(all)
    expect(bytesOf(answer)).toBeLessThan(ABOUT_25_KB)
  })

  it('of a script that failed are kept too', async () => {
    const { script, opened } = await makeLong()
    const answer = await script('for i = 1, 9000 do print(i) end error("boom")')
    expect(answer.isError).toBe(true)
    expect(answer.content[0]!.text).toMatch(/^Script execution error: script:1: boom\n/)
    const { logs, logs_file, error } = answer.structuredContent
    expect(error!.kind).toBe('runtime')
    expect(logs.at(-1)).toBe('9000')
    expect(await opened(answer.structuredContent, logs_file)).toMatch(/^1\n2\n[^]*\n9000\n$/)
  })

  it.each([
    ['a token that may not write', {}, { scope: 'execute files:read' }, 'return 1'],
    ['a token without files', {}, { scope: 'execute' }, 'return 1'],
    ['a token for other paths', {}, { paths: ['input'] }, 'return 1'],
    ['nothing to be stored', { commit: 'on_success' }, {}, 'error("boom")'],
  ])('of %s are their end alone, as much as fits', async (_, input, claims, end) => {
    const { script, textsUnder } = await makeLong()
    const text = `for i = 10001, 19000 do print(i) end ${end}`
    const answer = await script(text, input, { claims })
    const { logs, logs_file, files_touched } = answer.structuredContent
    expect([logs_file, files_touched]).toEqual([undefined, []])
    const [notice, ...tail] = logs
    expect(notice).toBe(`[${9000 - tail.length} earlier lines are left out]`)
    expect(tail).toEqual(Array.from({ length: 1365 }, (__, i) => String(17_636 + i)))
    expect(await textsUnder()).toEqual({})
    expect(bytesOf(answer)).toBeLessThan(ABOUT_25_KB)
  })

  it('with commit "on_success" are stored when the script succeeds', async () => {
    const { script, opened } = await makeLong()
    const text = 'for i = 1, 9000 do print(i) end file.save("a", "1")'
    const { structuredContent } = await script(text, { commit: 'on_success' })
    const { logs_file, files_touched: rows } = structuredContent
    expect(rows.map(({ name }) => name)).toEqual(['a', logs_file])
    expect(await opened(structuredContent, logs_file)).toMatch(/\n9000\n$/)
  })

  it.each([
    [
      'a token that may write',
      {},
      666,
      expect.stringMatching(/^\[earlier output is in output\/logs_/),
    ],
    ['a token that may not', { scope: 'execute' }, 2730, '[earlier output is left out]'],
  ])('of %s that are one long line stay in part', async (_, claims, characters, notice) => {
    const { script } = await makeLong()
    const text = 'print("first") print(("x"):rep(9000) .. "end")'
    const { structuredContent } = await script(text, {}, { claims })
    expect(structuredContent.logs).toEqual([notice, `…${'x'.repeat(characters - 3)}end`])
  })

  it('are cut between characters', async () => {
    const { script } = await makeLong()
    const text = 'print(("\\u{1f319}"):rep(3000) .. "x")'
    const { structuredContent } = await script(text)
    expect(structuredContent.logs[1]).toBe(`…${'\u{1f319}'.repeat(332)}x`)
  })

  it.each([
    ['control characters', 'print(("\\7"):rep(8000))'],
    ['empty lines', 'for i = 1, 8000 do print() end'],
    ['quotes', 'print(("\\""):rep(8000))'],
    ['bytes that are no text', 'print(("\\xff"):rep(8000))'],
  ])('of %s do not make an answer longer', async (_, text) => {
    const { script } = await makeLong()
    for (const scope of ['execute files:read files:write', 'execute']) {
      expect(bytesOf(await script(text, {}, { claims: { scope } }))).toBeLessThan(ABOUT_25_KB)
    }
  })

  it('of one line too many say so in words', async () => {
    const { script } = await makeLong()
    const text = 'print(("x"):rep(8000)) for i = 1, 4 do print(("y"):rep(99)) end'
    const { structuredContent } = await script(text)
    expect(structuredContent.logs).toEqual([
      `[1 earlier line is in ${structuredContent.logs_file}]`,
      ...Array<string>(4).fill('y'.repeat(99)),
    ])
  })
})

const files = (count: number, pattern = 'output/%04d.csv') =>
  `for i = 1, ${count} do file.save(("${pattern}"):format(i), tostring(i)) end`

describe('files', () => {
  it('up to 50 have a row each, and the first 10 a link, which stands once', async () => {
    const { script } = await makeLong()
    const answer = await script(`file.save("a", "") os.remove("a") ${files(49)}`)
    const { files_touched: rows, more_files } = answer.structuredContent
    expect([rows.length, more_files]).toEqual([50, undefined])
    const links = rows.flatMap(({ link }) => link ?? [])
    // The first file is gone.
    expect(rows.map(({ link }) => link !== undefined)).toEqual(
      rows.map((_, at) => at >= 1 && at <= 10),
    )
    expect(rows[11]).toEqual({ name: 'output/0011.csv', op: 'write', bytes: 2 })
    const [text, ...linked] = answer.content
    expect(linked.map(({ uri }) => uri)).toEqual(links)
    for (const link of links) expect(text!.text!.split(JSON.stringify(link))).toHaveLength(2)
    expect(bytesOf(answer)).toBeLessThan(ABOUT_25_KB)
  })

  it('beyond 50 are a count and a link that lists their folder', async () => {
    const { app, script } = await makeLong()
    const answer = await script(files(60))
    const { files_touched: rows, more_files: more } = answer.structuredContent
    const nameOf = (i: number) => `output/${String(i + 1).padStart(4, '0')}.csv`
    const names = Array.from({ length: 60 }, (_, i) => nameOf(i))
    expect(rows.map(({ name }) => name)).toEqual(names.slice(0, 50))
    expect(answer.content).toHaveLength(11)
    expect(more).toEqual({ count: 10, folder: 'output', link: expect.any(String) })
    const listed = await app.request(more!.link!, { headers: { Accept: 'application/json' } })
    const { entries } = (await listed.json()) as { entries: { path: string; link: string }[] }
    expect(entries.map(({ path }) => path)).toEqual(names)
    expect(await (await app.request(entries[59]!.link)).text()).toBe('60')
    const page = await app.request(more!.link!, { headers: { Accept: 'text/html' } })
    expect(await page.text()).toContain('0060.csv')
    expect(bytesOf(answer)).toBeLessThan(ABOUT_25_KB)
  })

  it('have a folder link that lives no longer than was asked for', async () => {
    let now = RUNS_AT
    const { app, script } = await makeLong({ now: () => now })
    const { structuredContent } = await script(files(51), { link_ttl_s: 60 })
    const open = () => app.request(structuredContent.more_files!.link!)
    expect((await open()).status).toBe(200)
    now = new Date(RUNS_AT.getTime() + 61_000)
    expect((await open()).status).toBe(403)
  })

  it.each([
    ['output/%02d/x', 'output'],
    ['f%04d', '.'],
    ['a/b/c/f%04d', 'a/b/c'],
  ])('called %j have the link of what holds them all, %j', async (pattern, folder) => {
    const { script } = await makeLong()
    const { structuredContent } = await script(files(60, pattern))
    expect(structuredContent.more_files).toMatchObject({ count: 10, folder })
  })

  it('that became of a result and of logs have a row in any case', async () => {
    const { script } = await makeLong()
    const text = `${files(60, 'a/%04d')} for i = 1, 9000 do print(i) end return ("x"):rep(20000)`
    const { structuredContent } = await script(text)
    const { files_touched: rows, more_files: more, logs_file, result_file } = structuredContent
    expect(rows).toHaveLength(52)
    expect(rows.slice(50).map(({ name }) => name)).toEqual([logs_file, result_file])
    expect(rows.flatMap(({ link }) => link ?? [])).toHaveLength(12)
    expect(more).toMatchObject({ count: 10, folder: 'a' })
  })

  it('that are gone leave nothing to list', async () => {
    const { script } = await makeLong()
    const text = `${files(60)} for i = 1, 60 do os.remove(("output/%04d.csv"):format(i)) end`
    const { structuredContent, content } = await script(text)
    expect(structuredContent.more_files).toEqual({ count: 10, folder: 'output' })
    expect(content).toHaveLength(1)
  })

  it('are not listed to a caller who may not read', async () => {
    const { script } = await makeLong()
    const claims = { scope: 'execute files:write' }
    const { structuredContent } = await script(files(60), {}, { claims })
    expect(structuredContent.more_files).toEqual({ count: 10, folder: 'output' })
  })

  it('of other folders are not listed to a caller who may use one', async () => {
    const { script } = await makeLong()
    const claims = { paths: ['a', 'b'] }
    const text = `${files(40, 'a/%04d')} ${files(40, 'b/%04d')}`
    const inTwo = await script(text, {}, { claims })
    expect(inTwo.structuredContent.more_files).toMatchObject({ count: 30, folder: 'b' })
    const inAll = await script(`${text} ${files(60, 'a/b/%04d')}`, {}, { claims })
    expect(inAll.structuredContent.more_files).toEqual({ count: 90, folder: '.' })
  })

  it.each([
    ['long', 'x', 480],
    ['unicode', '中', 160],
  ])('with %s names have fewer rows', async (_, letter, times) => {
    const { app, script } = await makeLong()
    const text = `for i = 1, 40 do io.open("o/${letter.repeat(times)}" .. 10 + i, "w"):close() end`
    const answer = await script(text)
    const { files_touched: rows, more_files: more } = answer.structuredContent
    expect(bytesOf(answer)).toBeLessThan(ABOUT_25_KB)
    expect(rows.length).toBeGreaterThan(4)
    expect(more).toEqual({ count: 40 - rows.length, folder: 'o', link: expect.any(String) })
    expect((await app.request(more!.link!)).status).toBe(200)
  })
})

it.each(['x', 'é', '\u{1f319}'])('an error of a million %s is cut', async (letter) => {
  const { script } = await makeLong()
  const answer = await script(`error(("${letter}"):rep(1000000))`)
  expect(answer.structuredContent.error!.message.length).toBeLessThan(8300)
  expect(answer.content[0]!.text!.length).toBeLessThan(ABOUT_25_KB)
})

describe('a page that is saved', () => {
  it('comes back with its beginning only', async () => {
    const { call } = await makeLong()
    const answer = await call('save_result_page', { title: 'T', content: 'x'.repeat(100_000) })
    expect(answer.structuredContent).toMatchObject({ truncated: true })
    expect((answer.structuredContent.content as string).length).toBe(12_000)
    expect(bytesOf(answer)).toBeLessThan(ABOUT_25_KB)
  })

  it('is refused with a way out when it is too large', async () => {
    const { call } = await makeLong()
    const answer = await call('save_result_page', { title: 'T', content: 'x'.repeat(512_001) })
    const text =
      'The content has 512001 bytes; a report may have 512000. Shorten it, or save the data as a file and link to it.'
    expect(answer).toMatchObject({ isError: true, content: [{ text }] })
  })
})
