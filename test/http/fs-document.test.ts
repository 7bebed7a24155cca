/** `POST /fs/document`: documents as text, a part at a time. */
import { describe, expect, it } from 'vitest'
import { makeDocx, makePdf } from '../support/make-documents.ts'
import { makeFs } from '../support/make-fs.ts'

interface Part {
  readonly text: string
  readonly bytes: number
  readonly offset: number
  readonly total_bytes: number
  readonly truncated: boolean
}

const PDF = makePdf([[{ text: 'First page' }], [{ text: 'Second page' }]])

async function makeDocuments(options?: Parameters<typeof makeFs>[0]) {
  const app = await makeFs(options)
  const put = async (path: string, body: Uint8Array | string) => {
    const { status } = await app.content(path, { method: 'PUT', body: body as BodyInit })
    expect(status).toBe(200)
  }
  return { ...app, put, read: (input: object) => app.fs<Part>('document', input) }
}

describe('POST /fs/document', () => {
  it('gives the text of a document, or of some of its pages', async () => {
    const { put, read } = await makeDocuments()
    await put('in/a.pdf', PDF)
    const all = '<!-- page 1 -->\n\nFirst page\n\n<!-- page 2 -->\n\nSecond page\n'
    expect(await read({ path: 'in/a.pdf' })).toEqual({
      text: all,
      bytes: all.length,
      offset: 0,
      total_bytes: all.length,
      truncated: false,
    })
    expect((await read({ path: 'in/a.pdf', pages: '2' })).text).toBe(
      '<!-- page 2 -->\n\nSecond page\n',
    )
  })

  it('gives each character once, whatever the parts', async () => {
    const { put, read } = await makeDocuments()
    const text = 'aü€🍐'.repeat(20)
    await put('a.txt', text)
    let back = ''
    for (let offset = 0, more = true; more;) {
      const part = await read({ path: 'a.txt', offset, length: 7 })
      expect(part.offset).toBe(offset)
      back += part.text
      offset += part.bytes
      more = part.truncated
    }
    expect(back).toBe(text)
    expect(await read({ path: 'a.txt', offset: 1000 })).toMatchObject({
      text: '',
      truncated: false,
    })
  })

  it('works where scripts have no files, and writes none', async () => {
    const { put, read, fs } = await makeDocuments({
      env: { IO_ENABLED: 'false', RESULT_BYTES: '100' },
    })
    await put('a.txt', 'x'.repeat(2000))
    expect(await read({ path: 'a.txt' })).toMatchObject({ bytes: 12, truncated: true })
    const { entries } = await fs<{ entries: unknown[] }>('list', { recursive: true })
    expect(entries).toHaveLength(1)
  })

  it.each([
    ['../a.pdf', 400, "path cannot contain '..' traversal"],
    ['b.pdf', 404, 'There is no file "b.pdf". Check the name, or list the folder it should be in.'],
    ['in', 409, '"in" is a folder, not a file. List it instead.'],
    [
      'in/scan.pdf',
      422,
      '"in/scan.pdf" has no text; it may be scanned, and pictures are not read.',
    ],
    ['in/cut.docx', 422, '"in/cut.docx" is damaged or cut off.'],
    ['in/large.txt', 413, '"in/large.txt" has 5001 bytes, more than the 5000 that can be read.'],
  ])('refuses %s with %i', async (path, status, message) => {
    const { put, refusal } = await makeDocuments({ env: { PARSE_MAX_BYTES: '5000' } })
    await put('in/scan.pdf', makePdf([[]]))
    await put('in/cut.docx', makeDocx('').subarray(0, 500))
    await put('in/large.txt', 'x'.repeat(5001))
    expect(await refusal('document', { path })).toEqual([status, message])
  })

  it('says that pages are wrong', async () => {
    const { put, refusal } = await makeDocuments()
    await put('a.pdf', PDF)
    expect(await refusal('document', { path: 'a.pdf', pages: 'x' })).toEqual([
      422,
      'pages must be like "3", "1-3", "5-" or "1-3,7".',
    ])
    expect(await refusal('document', { path: 'a.pdf', length: 40_000 })).toEqual([
      422,
      'length: must be at most 32768',
    ])
  })

  it('says that a document takes too long', async () => {
    const { put, refusal } = await makeDocuments({ env: { FUEL: '1000000' } })
    await put('a.txt', 'x'.repeat(100_000))
    expect(await refusal('document', { path: 'a.txt' })).toEqual([
      413,
      '"a.txt" takes more time or memory than a request may. Ask for fewer pages.',
    ])
  })

  it('stays inside the paths of a token', async () => {
    const { put, refusal } = await makeDocuments()
    await put('in/a.pdf', PDF)
    expect(await refusal('document', { path: 'in/a.pdf' }, { paths: ['out'] })).toEqual([
      400,
      'path is not allowed',
    ])
  })
})
