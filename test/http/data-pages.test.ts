/** Pages of data: tables by ranges, of files of any size. */
import { describe, expect, it } from 'vitest'
import { addressOf, appWithFiles, notesIn, PERSON, tableIn } from '../support/linked-files.ts'

const MIB = 1024 * 1024

const csvOf = (count: number, cellOf = (row: number) => `name ${row}`) =>
  `id,name\n${Array.from({ length: count }, (_, i) => `${i + 1},${cellOf(i + 1)}\n`).join('')}`

/** Follows "Next page" from the first page; checks what each page asks of the store. */
async function walk(made: Awaited<ReturnType<typeof appWithFiles>>, path: string) {
  const pages: ReturnType<typeof tableIn>[] = []
  let address: string | undefined = await made.linkTo(path)
  while (address !== undefined && pages.length < 100) {
    made.reads.length = 0
    const html = await (await made.app.request(address, { headers: PERSON })).text()
    expect(made.reads.length).toBeLessThanOrEqual(3)
    for (const range of made.reads) expect(range?.length).toBeLessThanOrEqual(MIB)
    pages.push(tableIn(html))
    address = addressOf(html, 'Next page')
  }
  return pages
}

describe('a CSV', () => {
  it('is a table with the types of its columns, 200 rows a page', async () => {
    const made = await appWithFiles({ 'a.csv': csvOf(450) })
    const response = await made.open('a.csv')
    const html = await response.text()
    const { head, rows } = tableIn(html)
    expect(head).toEqual(['Row', 'id:integer', 'name:text'])
    expect([rows.length, rows[0], rows.at(-1)]).toEqual([
      200,
      ['1', '1', 'name 1'],
      ['200', '200', 'name 200'],
    ])
    expect(html).toContain('<p>Rows 1 to 200</p>')
    expect(notesIn(html)).toEqual([])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=UTF-8',
      'cache-control': 'private, no-cache',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      vary: 'Accept',
      'x-content-type-options': 'nosniff',
    })
    expect(html).not.toContain('<script')
  })

  it('has every row once on the pages from its start, with its number', async () => {
    // Line breaks in quotes, at and around the ends of what is read.
    const cellOf = (row: number) => `"${`line\n`.repeat(row % 700)}""${row}"""`
    const made = await appWithFiles({ 'a.csv': csvOf(1500, cellOf) })
    const rows = (await walk(made, 'a.csv')).flatMap((page) => page.rows)
    expect(rows.map(([number, id]) => [number, id])).toEqual(
      Array.from({ length: 1500 }, (_, i) => [`${i + 1}`, `${i + 1}`]),
    )
    expect(rows[698]![2]!.length).toBe(500 + 1)
    expect(rows[700]![2]).toBe('line\n"701"')
  })

  it('opens anywhere by position, and at its end', async () => {
    const made = await appWithFiles({ 'a.csv': csvOf(100_000) })
    const { bytes } = (await made.inner.head(made.keyOf('a.csv')))!
    expect(bytes).toBeGreaterThan(MIB)
    const middle = await (await made.open('a.csv', '&percent=50')).text()
    expect(made.reads).toEqual([
      { offset: 0, length: 65_536 },
      { offset: Math.floor(bytes / 2) - 1, length: 262_144 },
    ])
    expect(middle).toContain('<p>200 rows from about 50 %</p>')
    const { head, rows } = tableIn(middle)
    expect([head, rows.length]).toEqual([['id:integer', 'name:text'], 200])
    // Whole rows, one after the other.
    const first = Number(rows[0]![0])
    expect(rows).toEqual(rows.map((_, i) => [`${first + i}`, `name ${first + i}`]))
    expect(notesIn(middle)).toEqual([])

    const last = await (
      await made.app.request(addressOf(middle, 'Last page')!, { headers: PERSON })
    ).text()
    expect(tableIn(last).rows.at(-1)).toEqual(['100000', 'name 100000'])
    expect(tableIn(last).rows.length).toBe(200)
    expect(addressOf(last, 'Next page')).toBeUndefined()
    const next = await (
      await made.app.request(addressOf(middle, 'Next page')!, { headers: PERSON })
    ).text()
    expect(tableIn(next).rows[0]).toEqual([`${first + 200}`, `name ${first + 200}`])
  })

  it('says that a line break in quotes may have shifted a page within the file', async () => {
    const made = await appWithFiles({ 'a.csv': csvOf(40_000, (row) => `"a\n${row}"`) })
    expect(notesIn(await (await made.open('a.csv', '&percent=50')).text())).toEqual([
      'The page begins within the file. If there is a cell with a line break, the first row may be the rest of that cell.',
    ])
    expect(notesIn(await (await made.open('a.csv')).text())).toEqual([])
  })

  it('has no row numbers if the file is another one since', async () => {
    const made = await appWithFiles({ 'a.csv': csvOf(1000) })
    const html = await (await made.open('a.csv')).text()
    await made.put(
      'a.csv',
      csvOf(1000, () => 'longer names than before'),
    )
    const next = await (
      await made.app.request(addressOf(html, 'Next page')!, { headers: PERSON })
    ).text()
    expect(tableIn(next).head).toEqual(['id:integer', 'name:text'])
  })

  it('that ends on its last page says how many rows there are', async () => {
    const made = await appWithFiles({ 'a.csv': csvOf(201) })
    const html = await (await made.open('a.csv', '&at=end')).text()
    expect(html).toContain('<p>Rows 2 to 201 of 201</p>')
  })

  it.each([
    ['a.tsv', 'a\tb,c\n1\t"x\ty"\n', [['1', '1', 'x\ty']]],
    ['a.csv', 'a;b\r\n1,5;"x;""y"""\r\n', [['1', '1,5', 'x;"y"']]],
    ['a.csv', '\ufeffa,b\n1,2', [['1', '1', '2']]],
    [
      'a.csv',
      'a,b\n\n1\n\n1,2,3\n',
      [
        ['1', '1', '', ''],
        ['2', '1', '2', '3'],
      ],
    ],
    ['a.csv', 'a,b\n', []],
    ['a.csv', '', []],
    ['a.CSV', 'a,b\nx"y,"z" w\n', [['1', 'x"y', 'z w']]],
  ])('%s of %j', async (path, text, rows) => {
    const made = await appWithFiles({ [path]: text })
    expect(tableIn(await (await made.open(path)).text()).rows).toEqual(rows)
  })

  it('names the types that its cells have', async () => {
    const text = `i,n,b,d,t,m,e\n1,1.5,true,2026-01-02,2026-01-02T03:04:05Z,1,\n-2,2e3,FALSE,2026-01-03,2026-01-02 03:04,x,\n`
    const made = await appWithFiles({ 'a.csv': text })
    expect(tableIn(await (await made.open('a.csv')).text()).head.slice(1)).toEqual([
      'i:integer',
      'n:number',
      'b:true or false',
      'd:date',
      't:time',
      'm:text',
      'e:empty',
    ])
  })

  it('is searched on its page, without scripts', async () => {
    const made = await appWithFiles({ 'a.csv': csvOf(300) })
    const html = await (await made.open('a.csv', '&q=NAME+19')).text()
    const { rows } = tableIn(html)
    expect(rows.map(([number]) => number)).toEqual([
      '19',
      ...Array.from({ length: 10 }, (_, i) => `19${i}`),
    ])
    expect(html).toContain('<td><mark>name 19</mark>0</td>')
    expect(notesIn(html)).toEqual(['11 rows of 200 on this page: “NAME 19”.'])
    expect(html).toMatch(/<input type="hidden" name="path" value="a.csv">/)
    expect(tableIn(await (await made.open('a.csv', '&q=%5B.*')).text()).rows).toEqual([])
  })

  it.each<[string, string, Record<string, string>]>([
    ['asked for its source', '&raw=1', PERSON],
    ['downloaded', '&download=1', PERSON],
    ['opened by a program', '', {}],
    ['opened by a program at a page', '&at=5&q=x&percent=50', { Accept: '*/*' }],
  ])('is the file when %s', async (_, query, headers) => {
    const made = await appWithFiles({ 'a.csv': csvOf(3) })
    const response = await made.open('a.csv', query, headers)
    expect(await response.text()).toBe(csvOf(3))
    expect(response.headers.get('ETag')).not.toBeNull()
  })

  it('is not read for HEAD', async () => {
    const made = await appWithFiles({ 'a.csv': csvOf(3) })
    const init = { method: 'HEAD', headers: PERSON }
    const response = await made.app.request(await made.linkTo('a.csv'), init)
    expect([response.status, response.headers.get('Content-Type'), made.reads]).toEqual([
      200,
      'text/html; charset=UTF-8',
      [],
    ])
  })
})

describe('JSON lines', () => {
  it('are a table of all fields, with exact numbers', async () => {
    const lines = [
      '{"a":1,"b":"x"}',
      '{"b":null,"c":{"d":[1]}}',
      '{"a":9007199254740993}',
      'oops',
      '[7]',
      '5',
    ]
    const made = await appWithFiles({ 'a.jsonl': `${lines.join('\n')}\n` })
    const html = await (await made.open('a.jsonl')).text()
    expect(tableIn(html)).toEqual({
      head: ['Row', 'a:integer', 'b:text', 'c:nested', 'value:mixed', '1:integer'],
      rows: [
        ['1', '1', 'x', '', '', ''],
        ['2', '', 'null', '{"d":[1]}', '', ''],
        ['3', '9007199254740993', '', '', '', ''],
        ['4', '', '', '', 'oops', ''],
        ['5', '', '', '', '', '7'],
        ['6', '', '', '', '5', ''],
      ],
    })
    expect(notesIn(html)).toEqual(['Lines that are not JSON, shown as text: 1.'])
  })

  it('of any size have all rows on their pages', async () => {
    const text = Array.from({ length: 1000 }, (_, i) => `{"n":${i},"t":"${'x'.repeat(1000)}"}\n`)
    const made = await appWithFiles({ 'a.ndjson': text.join('') })
    const rows = (await walk(made, 'a.ndjson')).flatMap((page) => page.rows)
    expect(rows.map(([, n]) => n)).toEqual(Array.from({ length: 1000 }, (_, i) => `${i}`))
  })
})

describe('a JSON array', () => {
  it('has pages by row', async () => {
    const values = Array.from({ length: 450 }, (_, i) => ({ n: i }))
    const made = await appWithFiles({ 'a.json': JSON.stringify(values, null, 2) })
    const html = await (await made.open('a.json')).text()
    expect(html).toContain('<p>Rows 1 to 200 of 450</p>')
    const next = await (
      await made.app.request(addressOf(html, 'Next page')!, { headers: PERSON })
    ).text()
    expect(tableIn(next).rows[0]).toEqual(['201', '200'])
    const last = await (
      await made.app.request(addressOf(html, 'Last page')!, { headers: PERSON })
    ).text()
    expect(tableIn(last).rows.at(-1)).toEqual(['450', '449'])
    expect(addressOf(last, 'Previous page')).toContain('&row=51')
  })

  it.each([
    ['an object', '{"a":[1]}'],
    ['broken', '[1,2'],
    ['empty', '[]'],
  ])('that is %s is shown as text', async (_, text) => {
    const made = await appWithFiles({ 'a.json': text })
    const html = await (await made.open('a.json')).text()
    expect(html).toContain(
      `<pre tabindex="0" aria-label="Text">\n${text.replaceAll('"', '&#34;')}</pre>`,
    )
  })

  it('above 8 MiB is shown as text, by a range', async () => {
    const made = await appWithFiles({ 'a.json': `[1${' '.repeat(8 * MIB)}]` })
    expect(await (await made.open('a.json')).text()).toContain('<pre tabindex="0"')
    expect(made.reads).toEqual([{ offset: 0, length: 262_144 }])
  })
})

it('a file replaced while its page is made is no mixture', async () => {
  const made = await appWithFiles({ 'a.csv': csvOf(3) })
  const { head } = made.service.storage
  made.service.storage.head = async (key, ...rest) => {
    const info = await head(key, ...rest)
    return info && { ...info, etag: 'before' }
  }
  const response = await made.open('a.csv')
  expect([response.status, await response.text()]).toEqual([
    409,
    expect.stringContaining('The file was replaced just now.'),
  ])
})
