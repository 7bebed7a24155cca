/** Data files made to break their pages: they stay text, small and quick. */
import { describe, expect, it } from 'vitest'
import { addressOf, appWithFiles, notesIn, PERSON, tableIn } from '../support/linked-files.ts'
import { everyNth } from '../support/tier.ts'

const MIB = 1024 * 1024
const MARKUP = `<script>alert(1)</script><img src=x onerror='alert(2)'>"&quot;`
/** However the file is made: no page is larger. */
const MAX_PAGE_BYTES = 8 * MIB

const QUOTED = `"${MARKUP.replaceAll('"', '""')}"`
const PLACES = ['', '&percent=50', '&at=end', '&at=7', '&at=99999999999999', '&at=-1&row=x']

describe('a data file with markup', () => {
  it.each([
    ['a.csv', `${QUOTED},b\n${QUOTED},2\n`],
    ['a.tsv', `${MARKUP}\tb\n${MARKUP}\t2\n`],
    ['a.jsonl', `${JSON.stringify({ [MARKUP]: MARKUP })}\n${MARKUP}\n`],
    ['a.json', JSON.stringify([{ [MARKUP]: { [MARKUP]: MARKUP } }])],
    ['a.txt', MARKUP],
    ['a.json', MARKUP],
  ])('in %s is text on its page', async (path, text) => {
    const made = await appWithFiles({ [path]: text })
    const html = await (await made.open(path, `&q=${encodeURIComponent('<script>')}`)).text()
    expect(html).toContain('&#60;script&#62;')
    expect(html).not.toMatch(/<script|<img|onerror='/)
    expect(html).not.toContain('&quot;')
  })

  it('in its name or in the search is text, too', async () => {
    const path = `"><script>alert(1)<.csv`
    const made = await appWithFiles({ [path]: 'a\n1\n' })
    const html = await (await made.open(path, `&q=${encodeURIComponent(MARKUP)}`)).text()
    expect(html).not.toMatch(/<script|<img/)
    expect(html).toContain('value="&#60;script&#62;alert(1)')
  })
})

describe('a data file of odd characters', () => {
  it('shows control characters and marks of direction instead of obeying them', async () => {
    const made = await appWithFiles({ 'a.csv': 'a\0b,c\u202ed\n\0,\u2066x\u2069\n\x1b[31m,y\n' })
    expect(tableIn(await (await made.open('a.csv')).text())).toEqual({
      head: ['Row', 'a\u2400b:text', 'c\ufffdd:text'],
      rows: [
        ['1', '\u2400', '\ufffdx\ufffd'],
        ['2', '\u241b[31m', 'y'],
      ],
    })
  })

  it('in Latin-1 is read as that', async () => {
    const made = await appWithFiles({ 'a.csv': Uint8Array.of(0x6e, 0x0a, 0xe9, 0x0a) })
    const html = await (await made.open('a.csv')).text()
    expect([tableIn(html).rows, notesIn(html)]).toEqual([
      [['1', 'é']],
      ['The text is not UTF-8. It is shown as Latin-1.'],
    ])
  })
})

describe('a data file of odd shape', () => {
  const shapes: Record<string, () => string> = {
    'a.csv with 1,000,000 columns': () =>
      `${'a,'.repeat(1_000_000)}a\n${'1,'.repeat(1_000_000)}1\n`,
    'a.csv with a line of 50 MB': () => `a,b\n1,2\n${'x'.repeat(50e6)}\n3,4\n`,
    'a.csv of a quote that never closes': () => `a,b\n"${'1,2\n'.repeat(1_000_000)}`,
    'a.csv of quotes only': () => '"'.repeat(3_000_001),
    'a.csv of quotes in each line': () => '"""x\n'.repeat(500_000),
    'a.csv of commas': () => ','.repeat(3_000_000),
    'a.csv of line ends': () => '\n'.repeat(3_000_000),
    'a.csv of short rows and a long one': () => `a\n${'1\n'.repeat(600_000)}${'x'.repeat(300_000)}`,
    'a.jsonl of brackets': () => `${'['.repeat(2_000_000)}\n`.repeat(2),
    'a.jsonl of nested rows': () => `${'['.repeat(100_000)}${']'.repeat(100_000)}\n`.repeat(20),
    'a.jsonl with 16 digits, nested': () =>
      `${'['.repeat(50_000)}1234567890123456789${']'.repeat(50_000)}\n`.repeat(20),
    'a.jsonl of new fields in each row': () =>
      Array.from({ length: 5000 }, (_, i) => `{"${i}a":1,"${i}b":2,"__proto__":3}\n`).join(''),
    'a.json of empty objects': () => `[${'{},'.repeat(300_000)}{}]`,
    'a.json of brackets': () => '['.repeat(5_000_000),
    'a.json with one large element': () => `["${'x'.repeat(3e6)}"]`,
  }

  it.each(everyNth(3, Object.keys(shapes)))(
    'opens everywhere, by few short ranges: %s',
    async (shape) => {
      const path = shape.split(' ', 1)[0]!
      const made = await appWithFiles({ [path]: shapes[shape]!() })
      for (const place of PLACES) {
        const response = await made.open(path, place)
        const html = await response.text()
        expect([place, response.status]).toEqual([place, 200])
        expect(html.length).toBeLessThan(MAX_PAGE_BYTES)
        expect(made.reads.length).toBeLessThanOrEqual(3)
        const longest = path === 'a.json' ? 8 * MIB : MIB
        for (const range of made.reads) expect(range?.length).toBeLessThanOrEqual(longest)
        const next = addressOf(html, 'Next page')
        if (next) expect((await made.app.request(next, { headers: PERSON })).status).toBe(200)
      }
    },
  )

  it('reads on after a line that is too long, and after a quote without an end', async () => {
    const made = await appWithFiles({
      'long.csv': `a,b\n1,2\n${'x'.repeat(3 * MIB)}\n3,4\n`,
      'open.csv': `a,b\n"${'1,2\n'.repeat(1_000_000)}`,
    })
    const pages: string[] = []
    let address: string | undefined = await made.linkTo('long.csv')
    while (address !== undefined && pages.length < 20) {
      const html = await (await made.app.request(address, { headers: PERSON })).text()
      pages.push(html)
      address = addressOf(html, 'Next page')
    }
    expect(tableIn(pages[0]!).rows).toEqual([['1', '1', '2']])
    expect(notesIn(pages[1]!)).toContain('A row is longer than 1 MiB. Its beginning is shown.')
    expect(notesIn(pages[2]!)).toContain(
      'No row begins in this part of the file: a line is longer than 1 MiB.',
    )
    expect(tableIn(pages.at(-1)!).rows).toEqual([['3', '4']])
    const open = await (await made.open('open.csv')).text()
    expect(tableIn(open).rows.length).toBe(200)
    expect(tableIn(open).rows.slice(0, 2)).toEqual([
      ['1', '"1', '2'],
      ['2', '1', '2'],
    ])
    expect(notesIn(open)).toEqual([
      'A quote has no end in this part of the file. It and the quotes after it are shown as they are.',
    ])
  })

  it('shows at most 100 columns, and says so', async () => {
    const made = await appWithFiles({ 'a.csv': `${'a,'.repeat(5000)}a\n${'1,'.repeat(5000)}1\n` })
    const html = await (await made.open('a.csv')).text()
    expect(tableIn(html).head.length).toBe(101)
    expect(notesIn(html)).toEqual(['Only the first 100 columns are shown.'])
  })
})
