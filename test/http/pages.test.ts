/** Pages as HTML: what is shown, and that what others wrote stays text. */
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { AppError, type ErrorCode } from '../../src/errors.ts'
import { parsePath } from '../../src/files/path.ts'
import type { AppEnv } from '../../src/http/app-env.ts'
import { errorPage } from '../../src/http/pages/page-frame.ts'
import { folderPage } from '../../src/http/pages/folder-page.ts'
import { renderMarkdown } from '../../src/http/pages/markdown/html.ts'
import { respondWithError } from '../../src/http/respond-with-error.ts'
import { fileLink, folderLink } from '../../src/links/file-link.ts'
import { makeApp, ORIGIN } from '../support/make-app.ts'

const EXPIRES_AT = new Date('2026-11-16T11:00:00Z')
const FOLDER = { path: parsePath('output'), entries: [], isStart: true, expiresAt: EXPIRES_AT }
const PATH = parsePath('a')
const PERSON = { Accept: 'text/html' }

describe('errorPage', () => {
  it('shows its texts and runs nothing in them', () => {
    const page = errorPage('<b>"Gone"</b>', `<script>alert('1')</script> & more`)
    expect(page).toContain('<title>&#60;b&#62;&#34;Gone&#34;&#60;/b&#62;</title>')
    expect(page).toContain('<h1>&#60;b&#62;&#34;Gone&#34;&#60;/b&#62;</h1>')
    expect(page).toContain('<p>&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62; &#38; more</p>')
    expect(page).not.toMatch(/<script|<link|<img|https?:|url\(/)
    expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
    expect(page).toContain('color-scheme: light dark')
  })

  it.each<[ErrorCode | undefined, number, string]>([
    ['malformed', 400, 'This link is broken'],
    ['conflict', 409, 'This link takes no more'],
    ['too_large', 413, 'Too large'],
    ['forbidden', 403, 'This link cannot be opened'],
    ['not_found', 404, 'Not found'],
    ['rate_limited', 429, 'Try again later'],
    [undefined, 500, 'Try again later'],
    ['storage_unavailable', 503, 'Try again later'],
  ])('for %s has the status %i and the title %j', async (code, status, title) => {
    const app = new Hono<AppEnv>().onError(respondWithError(() => undefined))
    app.get('/files/out', () => {
      throw code === undefined ? new Error('unforeseen') : new AppError(code, 'A reason.')
    })
    const response = await app.request('/files/out', { headers: PERSON })
    expect(response.status).toBe(status)
    expect(await response.text()).toContain(`<h1>${title}</h1>`)
  })
})

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
    const html = folderPage({ ...FOLDER, entries: [{ path: PATH, type: 'file', bytes }] }, '')
    expect(html).toContain(`<data value="${bytes}">${text}</data>`)
  })

  it('writes times in UTC, for people and programs', () => {
    const modifiedAt = new Date('2026-01-02T03:04:05.678Z')
    const html = folderPage({ ...FOLDER, entries: [{ path: PATH, type: 'file', modifiedAt }] }, '')
    expect(html).toContain('<time datetime="2026-01-02T03:04:05Z">2026-01-02 03:04</time>')
    expect(html).toContain(
      'work until <time datetime="2026-11-16T11:00:00Z">2026-11-16 11:00</time> UTC',
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
    const path = parsePath(`${name}/${name}`)
    const html = folderPage({ ...FOLDER, path, entries: [{ path, type: 'file', token: '"' }] }, '')
    const query = fileLink('', path, '&#34;').replace(/.*\?(.*)&token/, '?$1&#38;token')
    const own = folderLink('', path, '').slice('/files/out'.length)
    const tags = html.replaceAll(query, '').replaceAll(shown, '').replaceAll(own.split('&')[0]!, '')
    expect(tags).not.toMatch(/onerror|alert|lt;b/)
    expect(html).toContain(`<title>${shown}</title>`)
    expect(html).toContain(`<h1><bdi>${shown}</bdi></h1>`)
    expect(html).toContain(`<a href="${query}"><bdi>${shown}</bdi></a>`)
    expect(html).toContain(`<li><bdi>${shown}</bdi></li></ol></nav>`)
  })
})

describe('renderMarkdown', () => {
  const render = (source: string) => renderMarkdown(source, ORIGIN)

  it.each([
    ['_one_', '<em>one</em>'],
    ['__one__', '<strong>one</strong>'],
    ['snake_case_name', 'snake_case_name'],
    ['_private_name', '_private_name'],
    ['name_of_', 'name_of_'],
    ['_one_two_', '<em>one_two</em>'],
    ['one-_two_-three', 'one-<em>two</em>-three'],
    ['one*two*three', 'one<em>two</em>three'],
  ])('takes an underscore within a word for a letter: %s', (source, html) => {
    expect(render(source).html).toBe(`<p>${html}</p>`)
  })

  it.each([
    ['| a |\n|--:|\n| 1 |', /<table>[^]*<td align="right">1<\/td>/],
    ['- [x] done\n- [ ] open', /<input [^>]*checked[^>]*aria-label="Done">[^]*aria-label="To do">/],
    [
      'a\n\n- b\n  1. c\n\n> d',
      /<ul>\n<li>b\n<ol>\n<li>c<\/li>\n<\/ol>\n<\/li>\n<\/ul>\n<blockquote>/,
    ],
    ['- a\n\n- b', /<li>\n<p>a<\/p>\n<\/li>/],
    ['```lua\nprint("<")\n```', /<code class="language-lua">print\(&quot;&lt;&quot;\)\n<\/code>/],
    [
      'a[^n].\n\n[^n]: *note*',
      /<sup><a href="#fn-1" id="fnref-1"[^]*<li id="fn-1">\n<p><em>note<\/em><\/p>\n<p><a href="#fnref-1"/,
    ],
    ['[a]\n\n[A]: https://example.com "t"', /<a href="https:\/\/example.com" title="t">a<\/a>/],
    ['&copy; &#x41;', /<p>&copy; A<\/p>/],
    [
      'mail me@example.com, or see https://example.com/a_(b).',
      /<a href="mailto:me@example.com">me@example.com<\/a>, or see <a href="https:\/\/example.com\/a_\(b\)">[^<]*<\/a>\./,
    ],
    ['a\\\nb  \nc', /a<br \/>\nb<br \/>\nc/],
    ['www.example.com', /<a href="http:\/\/www.example.com">/],
    ['~~gone~~', /<del>gone<\/del>/],
    ['[a](mailto:a@b.c)', /<a href="mailto:a@b.c">a<\/a>/],
    [
      `![chart](${ORIGIN}/files/out?path=c.png&token=x)`,
      /<img src="https:\/\/moonbucket.test\/files\/out\?path=c.png&amp;token=x" alt="chart">/,
    ],
    ['![dot](data:image/png;base64,AAAA)', /<img src="data:image\/png;base64,AAAA" alt="dot">/],
  ])('renders %j', (source, html) => {
    expect(render(source).html).toMatch(html)
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
    ['<img src=x onerror=alert(1)>', '<p>&lt;img src=x onerror=alert(1)&gt;</p>'],
    ['<div>\n*a*\n</div>', '<p>&lt;div&gt;\n<em>a</em>\n&lt;/div&gt;</p>'],
    ['[x](javascript&colon;alert(1))', '<p><a>x</a></p>'],
    ['[x](&#106;avascript:alert(1))', '<p><a>x</a></p>'],
    ['[x](\\javascript:alert(1))', '<p><a>x</a></p>'],
    ['[x][y]\n\n[y]: javascript:alert(1)', '<p><a>x</a></p>'],
    ['&lt;b&gt; &#60;b&#62; \\<b>', '<p>&lt;b&gt; &lt;b&gt; &lt;b&gt;</p>'],
    [
      '```x"onclick="y\n<b>\n```',
      '<pre tabindex="0"><code class="language-x&quot;onclick=&quot;y">&lt;b&gt;\n</code></pre>',
    ],
    [
      'https://s.example/"onclick="x',
      '<p><a href="https://s.example/%22onclick=%22x">https://s.example/&quot;onclick=&quot;x</a></p>',
    ],
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
  ])('disarms %j', (source, html) => {
    expect(render(source).html).toBe(html)
  })

  it.each([
    ['# A *b* `c`', 'A b c'],
    ['text\n\n## Second level\n\n# First', 'Second level'],
    ['Setext\n===', 'Setext'],
    ['# <b> & "x"', '&lt;b&gt; &amp; &quot;x&quot;'],
    ['no heading', undefined],
    ['#\n\ntext', undefined],
  ])('finds the title of %j', (source, title) => {
    expect(render(source).title).toBe(title)
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
    expect(response.status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/html; charset=UTF-8')
    expect(headers.get('Vary')).toBe('Accept')
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
    expect(await response.text()).toBe('# Hi')
    expect(response.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8')
  })

  it.each([
    [128 * 1024, '<article>'],
    [128 * 1024 + 1, '<pre tabindex="0" aria-label="Text">'],
  ])('of %i bytes has %s', async (bytes, html) => {
    const response = await opened('a'.repeat(bytes))
    expect(await response.text()).toContain(html)
  })
})
