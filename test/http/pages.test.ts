/** Pages as HTML: what is shown, and that what others wrote stays text. */
import { describe, expect, it } from 'vitest'
import { folderPage } from '../../src/http/pages/folder-page.ts'
import { isRenderable, renderMarkdown } from '../../src/http/pages/markdown-html.ts'
import { makeApp, ORIGIN } from '../support/make-app.ts'

const EXPIRES_AT = new Date('2026-11-16T11:00:00Z')
const VIEW = { path: 'output', rows: [], page: 1, expiresAt: EXPIRES_AT }
const PERSON = { Accept: 'text/html' }

describe('folderPage', () => {
  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1.0 kB'],
    [9_940, '9.9 kB'],
    [123_456, '123 kB'],
    [52_428_800, '52 MB'],
    [5_000_000_000_000_000, '5000 TB'],
  ])('writes %i as %s', (bytes, text) => {
    const html = folderPage({ ...VIEW, rows: [{ name: 'a', type: 'file', bytes }] })
    expect(html).toContain(`<data value="${bytes}">${text}</data>`)
  })

  it('writes times in UTC, for people and programs', () => {
    const modifiedAt = new Date('2026-01-02T03:04:05.678Z')
    const html = folderPage({ ...VIEW, rows: [{ name: 'a', type: 'file', modifiedAt }] })
    expect(html).toContain('<time datetime="2026-01-02T03:04:05Z">2026-01-02 03:04</time>')
    expect(html).toContain(
      'open until <time datetime="2026-11-16T11:00:00Z">2026-11-16 11:00</time> UTC',
    )
  })

  it.each([
    ['<script>alert(1)', '&#60;script&#62;alert(1)'],
    [`"><img src=x onerror='a'>`, '&#34;&#62;&#60;img src=x onerror=&#39;a&#39;&#62;'],
    ['&lt;b&gt;', '&#38;lt;b&#38;gt;'],
    ['a\u202efdp.exe', 'a\ufffdfdp.exe'],
    ['\u2066x\u2069\u200f', '\ufffdx\ufffd\ufffd'],
    ['👩‍👩‍👧', '👩‍👩‍👧'],
  ])('shows the name %j as text wherever it stands', (name, shown) => {
    const html = folderPage({
      ...VIEW,
      path: `${name}/${name}`,
      rows: [{ name, type: 'file', href: '?path=x&token="' }],
    })
    const tags = html.replaceAll(shown, '')
    expect(tags).not.toMatch(/onerror|alert|lt;b/)
    expect(html).toContain(`<title>${shown}</title>`)
    expect(html).toContain(`<h1><bdi>${shown}</bdi></h1>`)
    expect(html).toContain(`<a href="?path=x&#38;token=&#34;"><bdi>${shown}</bdi></a>`)
    expect(html).toContain(`<li><bdi>${shown}</bdi></li></ol></nav>`)
  })
})

describe('renderMarkdown', () => {
  const render = (source: string) => renderMarkdown(source, ORIGIN)

  it.each([
    ['| a |\n|--:|\n| 1 |', /<table>[^]*<td align="right">1<\/td>/],
    ['- [x] done\n- [ ] open', /<input [^>]*checked[^>]*aria-label="Done">[^]*aria-label="To do">/],
    ['www.example.com', /<a href="http:\/\/www.example.com">/],
    ['~~gone~~', /<del>gone<\/del>/],
    ['[a](mailto:a@b.c)', /<a href="mailto:a@b.c">a<\/a>/],
    [
      `![chart](${ORIGIN}/files/out?path=c.png&token=x)`,
      /<img src="https:\/\/moonbucket.test\/files\/out\?path=c.png&amp;token=x" alt="chart">/,
    ],
    ['![dot](data:image/png;base64,AAAA)', /<img src="data:image\/png;base64,AAAA" alt="dot">/],
  ])('renders %j', async (source, html) => {
    expect((await render(source)).html).toMatch(html)
  })

  it.each([
    ['![pixel](https://spy.example/a.png)', '<p><a href="https://spy.example/a.png">pixel</a></p>'],
    ['![](https://spy.example/a.png "t")', '<p><a href="https://spy.example/a.png">Image</a></p>'],
    [
      `![near](${ORIGIN}.spy.example/a.png)`,
      `<p><a href="${ORIGIN}.spy.example/a.png">near</a></p>`,
    ],
    [
      '[![badge](https://s.example/b)](https://a.example)',
      '<p><a href="https://a.example">badge</a></p>',
    ],
    ['![rel](chart.png)', '<p>rel</p>'],
    ['![x](javascript:alert(1))', '<p>x</p>'],
    ['![x](data:text/html,y)', '<p>x</p>'],
    ['[rel](other.md)', '<p><a>rel</a></p>'],
    ['[up](../secret.md)', '<p><a>up</a></p>'],
    ['[host](//spy.example)', '<p><a>host</a></p>'],
    ['[x](javascript:alert(1))', '<p><a>x</a></p>'],
    ['[x](JaVaScRiPt:alert(1))', '<p><a>x</a></p>'],
    ['[x](java&#10;script:alert(1))', '<p><a>x</a></p>'],
    ['[x](&#1;javascript:alert(1))', '<p><a>x</a></p>'],
    ['[x](data:text/html,y)', '<p><a>x</a></p>'],
    ['[x](vbscript:y)', '<p><a>x</a></p>'],
    ['<javascript:alert(1)>', '<p><a>javascript:alert(1)</a></p>'],
    ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
    ['a <b onclick="x">b</b>', '<p>a &lt;b onclick=&quot;x&quot;&gt;b&lt;/b&gt;</p>'],
    [
      '![a" onerror="x](https://s.example)',
      '<p><a href="https://s.example">a&quot; onerror=&quot;x</a></p>',
    ],
    [
      '[a](https://s.example/"onclick="x)',
      '<p><a href="https://s.example/%22onclick=%22x">a</a></p>',
    ],
    [
      '[a](https://s.example \'" onclick="x\')',
      '<p><a href="https://s.example" title="&quot; onclick=&quot;x">a</a></p>',
    ],
  ])('disarms %j', async (source, html) => {
    expect((await render(source)).html).toBe(html)
  })

  it.each([
    ['# A *b* `c`', 'A b c'],
    ['text\n\n## Second level\n\n# First', 'Second level'],
    ['Setext\n===', 'Setext'],
    ['# <b> & "x"', '&lt;b&gt; &amp; &quot;x&quot;'],
    ['no heading', undefined],
    ['#\n\ntext', undefined],
  ])('finds the title of %j', async (source, title) => {
    expect((await render(source)).title).toBe(title)
  })
})

describe('a Markdown file', () => {
  async function opened(text: string, query = '', headers: Record<string, string> = PERSON) {
    const made = await makeApp()
    const args = { path: 'output/a.md', text }
    const script = 'io.open(args.path, "w"):write(args.text):close()'
    const { files_touched: rows } = await made.run(script, { args })
    return made.app.request(rows[0]!.link! + query, { headers })
  }

  it('is a page to people, held by a policy', async () => {
    const response = await opened('# Hi\n\n*there*')
    const { headers } = response
    expect([response.status, headers.get('Content-Type'), headers.get('Vary')]).toEqual([
      200,
      'text/html; charset=UTF-8',
      'Accept',
    ])
    expect(headers.get('Content-Security-Policy')).toBe(
      "sandbox allow-downloads allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('ETag')).toBeNull()
    expect(await response.text()).toContain('<p><em>there</em></p>')
  })

  it.each<[string, string, Record<string, string>]>([
    ['asked for its source', '&raw=1', PERSON],
    ['downloaded', '&download=1', PERSON],
    ['opened by a program', '', {}],
    ['opened by a program', '', { Accept: '*/*' }],
  ])('is its source when %s', async (_, query, headers) => {
    const response = await opened('# Hi', query, headers)
    expect([await response.text(), response.headers.get('Content-Type')]).toEqual([
      '# Hi',
      'text/markdown; charset=utf-8',
    ])
  })

  it('is its source when it is too large to render', async () => {
    const response = await opened('a'.repeat(128 * 1024 + 1))
    expect(response.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8')
  })

  it('is its source when rendering would take too long', async () => {
    const response = await opened(']'.repeat(20_000))
    expect(response.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8')
  })
})

/** As people and models write them: headings, prose, tables, lists two deep, code. */
const CHAPTER = `## Sales in *November*

Totals by **region**, from [the source](https://example.com/data), as of today. Refunds are not part of
them; see \`refunds.csv\` for those, and the notes (at the end) for how they were counted.

| Region | Orders | Revenue | Change |
|:-------|-------:|--------:|-------:|
| North, with the islands | 1,204 | 88,120.00 | **+4 %** |
| South and the highlands | 967 | 61,940.50 | -1 % |

- fetch the orders of the month and leave out what was cancelled
  - those of the shops, by the day they were paid
  - those of the web, by the day they were sent
- compare them with the year before

> Figures before audit.

\`\`\`sql
select region, count(*), sum(total)
from orders where placed_at >= '2026-11-01' group by region
\`\`\`

`

describe('isRenderable', () => {
  it.each([
    ['a long report', CHAPTER.repeat(Math.floor(100_000 / CHAPTER.length)), true],
    ['long prose', 'Some *words* and [a link](https://example.com).\n\n'.repeat(1500), true],
    ['a long table', '|a|b|\n|-|-|\n' + '| 1 | some text |\n'.repeat(3000), true],
    ['a long list', '- an item with `code`\n'.repeat(2000), true],
    ['one byte too many', 'a'.repeat(128 * 1024 + 1), false],
  ])('%s: %#', (_, source, expected) => {
    expect(isRenderable(source)).toBe(expected)
  })

  it.each([
    '[]',
    ']',
    'a* ',
    'a~',
    '>',
    '- ',
    '* * * * * a\n',
    '1) 1) 1) 1) 1) 1) x\n',
    'a\n=\n',
    'a\n=\n\n',
    'a\r=\r',
    '- - - - a\n',
    '- - - a\n',
    '- > a\n',
    '- a\n  - b\n',
    '> a\n\n',
    '> > a\n> b\n',
    'a <!-- ',
    '[a](b (c ',
    '[^1]',
    'www.a_',
    'a\n',
  ])('refuses 60 kB of %j', (part) => {
    expect(isRenderable(part.repeat(60_000 / part.length))).toBe(false)
  })

  it.each([
    ['- a\n', 'b\n'],
    ['> > > > a\n', 'b\n'],
    ['- '.repeat(200), '\n'],
    ['*a '.repeat(4000), 'a** '],
  ])('refuses %j followed by 20 kB of %j', (first, part) => {
    expect(isRenderable(first + part.repeat(20_000 / part.length))).toBe(false)
  })
})
