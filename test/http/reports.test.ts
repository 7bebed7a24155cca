/** `POST /reports`: a page for a person, from what a model wrote. */
import { describe, expect, it } from 'vitest'
import { parsePath } from '../../src/files/path.ts'
import { verifyLink } from '../../src/links/link-token.ts'
import { htmlReport, markdownReport } from '../../src/operations/reports/report-text.ts'
import { invalid, postTo, refusalOf } from '../support/call-route.ts'
import { LINK_SECRET, makeApp, type Claims } from '../support/make-app.ts'

const PERSON = { Accept: 'text/html' }
const NOW = new Date('2026-11-16T10:00:00Z')

interface Report {
  readonly message?: string
  readonly content?: string
  readonly truncated?: boolean
  readonly link: string
  readonly path: string
}

async function save(body: object) {
  const made = await makeApp({ now: () => NOW })
  const response = await postTo(made, 'reports', body)
  if (!response.ok) throw new Error(await response.text())
  const report = (await response.json()) as Report
  const stored = Object.values(await made.textsUnder())
  const shown = await made.app.request(report.link, { headers: PERSON })
  return { report, stored: stored[0]!, page: await shown.text(), headers: shown.headers }
}

describe('a report in Markdown', () => {
  it('is answered with its content and link, and opens as a page', async () => {
    const { report, stored, page } = await save({ title: 'Totals', content: 'All **good**.' })
    expect(report).toEqual({
      content: '# Totals\n\nAll **good**.',
      truncated: false,
      link: expect.stringContaining(`/files/out?path=${report.path}&token=`),
      path: expect.stringMatching(/^output\/report_[0-9a-f]{12}\.md$/),
      bytes: 23,
      expires_at: '2026-11-17T10:00:00Z',
    })
    expect(stored).toBe(report.content)
    expect(page).toContain('<title>Totals</title>')
    expect(page).toContain('<h1>Totals</h1>\n<p>All <strong>good</strong>.</p>')
  })

  it.each([
    ['a\nb\r\n# c', 'a b # c'],
    ['`code` and ```', '`code` and ```'],
    ['*a* _b_ ~~c~~ [d](e) \\', '*a* _b_ ~~c~~ [d](e) \\'],
    ['<script>x</script> &amp; AT&T', '&lt;script&gt;x&lt;/script&gt; &amp;amp; AT&amp;T'],
    ['ends in ##', 'ends in ##'],
    ['  spaced\t out  ', 'spaced out'],
    ['1. list', '1. list'],
    ['été "日本"', 'été &quot;日本&quot;'],
  ])('shows the title %j as text', async (title, shown) => {
    const { page } = await save({ title, content: 'x' })
    expect(page).toContain(`<h1>${shown}</h1>\n<p>x</p>`)
    expect(page).toContain(`<title>${shown}</title>`)
  })

  it.each(['# Totals\nx', '\n# Totals #\n\nx', '# Totals'])(
    'has its title once when it begins with it: %j',
    async (content) => {
      const { stored } = await save({ title: 'Totals', content })
      expect(stored).toBe(content)
    },
  )

  it('is answered with 12,000 characters at most', async () => {
    const { report, stored } = await save({ title: 'T', content: '😀'.repeat(20_000) })
    expect([Array.from(report.content!).length, report.truncated]).toEqual([12_000, true])
    expect(stored).toBe(`# T\n\n${'😀'.repeat(20_000)}`)
  })
})

describe('a report in HTML', () => {
  it('is answered with the sentence to say, and gets a page around it', async () => {
    const content = '<p>All <b>good</b>.</p>'
    const { report, stored, headers } = await save({ title: 'A < B', content, format: 'html' })
    expect(report).toEqual({
      message: `Report is ready. Open: ${report.link}`,
      link: expect.stringContaining('/files/out?path=output/report_'),
      path: expect.stringMatching(/^output\/report_[0-9a-f]{12}\.html$/),
      bytes: stored.length,
      expires_at: '2026-11-17T10:00:00Z',
    })
    expect(stored).toMatch(
      /^<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">\n<meta name="viewport"/,
    )
    expect(stored).toContain('<title>A &#60; B</title>')
    expect(stored).toContain(`<body>\n<h1>A &#60; B</h1>\n${content}\n</body>`)
    expect(headers.get('Content-Security-Policy')).toMatch(/^sandbox /)
  })

  it('keeps the heading it has', async () => {
    const content = '<section><h1 class="x">Mine</h1></section>'
    const { stored } = await save({ title: 'T', content, format: 'html' })
    expect(stored.match(/<h1/g)).toHaveLength(1)
  })

  it.each([
    ['<!doctype html><html><head><title>Own</title></head><body>x</body></html>', null],
    ['<!DOCTYPE html>\n<title>Own</title><p>x', null],
    [
      '<html><head lang="en"><meta charset="utf-8"></head></html>',
      '<html><head lang="en"><title>T</title><meta charset="utf-8"></head></html>',
    ],
    [
      '<html lang="de"><body><svg><title>s</title></svg></body></html>',
      '<html lang="de"><title>T</title><body><svg><title>s</title></svg></body></html>',
    ],
    ['<!-- by me -->\n<!doctype html><p>x', '<!-- by me -->\n<!doctype html><title>T</title><p>x'],
    ['\ufeff<body>x</body>', '<title>T</title>\ufeff<body>x</body>'],
  ])('is stored as it is when it is a whole page: %j', async (content, stored) => {
    expect((await save({ title: 'T', content, format: 'html' })).stored).toBe(stored ?? content)
  })
})

it('the link expires when its token says, however much time has passed', async () => {
  let time = NOW.getTime()
  const made = await makeApp({ now: () => new Date((time += 1000)) })
  const response = await postTo(made, 'reports', { title: 'T', content: 'x' })
  const { link, path, expires_at } = (await response.json()) as Report & { expires_at: string }
  const token = new URL(link).searchParams.get('token')!
  const expected = { purpose: 'get', path: parsePath(path) } as const
  const { expiresAt } = await verifyLink([LINK_SECRET], token, expected, NOW)
  expect(new Date(expires_at)).toEqual(expiresAt)
})

describe('a report of half a megabyte that is hard to read', () => {
  const much = (part: string) => part.repeat(500_000 / part.length)

  it.each([
    ['comments', much('<!---->') + '<p>'],
    ['comments without an end', much('<!-- ')],
    ['blanks', much(' ') + '<p>'],
  ])('is a fragment: %s', (_, content) => {
    expect(htmlReport('T', content)).toContain(`<h1>T</h1>\n${content}\n</body>`)
  })

  it.each([
    ['comments', much('<!---->') + '<html>', much('<!---->') + '<html><title>T</title>'],
    ['tags without an end', '<html>' + much('<head '), '<html><title>T</title>' + much('<head ')],
    ['ends', '<html>' + much('</head '), '<html><title>T</title>' + much('</head ')],
  ])('is a whole page: %s', (_, content, stored) => {
    expect(htmlReport('T', content)).toBe(stored)
  })

  it.each([
    '# a' + much(' ') + 'b',
    '# a' + much(' #') + 'b',
    much('\n') + 'b',
    '#' + much(' ') + 'b',
  ])('gets its heading: %#', (content) => {
    expect(markdownReport('T', content)).toBe(`# T\n\n${content}`)
  })
})

describe('no report', () => {
  const env = { REPORT_MAX_BYTES: '10' }

  const TOO_LONG =
    '413 too_large: The content has 12 bytes; a report may have 10. Shorten it, or save the data as a file and link to it.'

  it.each<[object, Claims, string]>([
    [{ content: 'é'.repeat(6) }, {}, TOO_LONG],
    [{ title: ' \n' }, {}, invalid('title: must not be empty')],
    [{ title: 'T'.repeat(201) }, {}, invalid('title: must have at most 200 characters')],
    [{ content: undefined }, {}, invalid('content: must be a string')],
    [{ format: 'pdf' }, {}, invalid('format: must be "markdown" or "html"')],
    [{}, { scope: 'files:read' }, '403 forbidden: The token lacks the scope "files:write".'],
    [{}, { paths: ['input'] }, '400 invalid_path: path is not allowed'],
  ])('of %j with a token of %j', async (changed, claims, refusal) => {
    const made = await makeApp({ env })
    const body = { title: 'T', content: 'x', ...changed }
    expect(await refusalOf(await postTo(made, 'reports', body, claims))).toBe(refusal)
    expect(await made.stored()).toEqual({})
  })

  it('is refused for being exactly as long as allowed', async () => {
    const made = await makeApp({ env })
    const response = await postTo(made, 'reports', { title: 'T', content: 'é'.repeat(5) })
    expect(response.status).toBe(200)
  })
})
