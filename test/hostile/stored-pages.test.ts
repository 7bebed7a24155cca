/** Files that would act if a browser let them: however they are named and opened, they are held. */
import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../src/http/pages/markdown/html.ts'
import { hostileMarkdown, randomMarkdown } from '../support/hostile-markdown.ts'
import { makeApp } from '../support/make-app.ts'
import { isAll } from '../support/tier.ts'

const PERSON = { Accept: 'text/html,application/xhtml+xml,image/svg+xml,*/*;q=0.8' }
const PAGE = '<!doctype html><script>fetch("/execute")</script>'

async function openedAs(
  name: string,
  query = '',
  headers: Record<string, string> = PERSON,
  text = PAGE,
) {
  const { run, app } = await makeApp()
  const script = 'io.open(args.path, "w"):write(args.text):close()'
  const args = { path: `output/${name}`, text }
  const { files_touched: rows } = await run(script, { args })
  return app.request(rows[0]!.link! + query, { headers })
}

describe('a file that a browser would run', () => {
  it.each([
    ['a.html', ''],
    ['a.HTM', ''],
    ['a.svg', ''],
    ['a.xml', ''],
    ['a.js', ''],
    ['a.mjs', ''],
    ['a.html', '&raw=1'],
    ['a.html', '&download=1'],
    ['a.html', '&download=0&raw=0&page=1'],
    ['a.md', ''],
  ])('has no origin and no scripts: %s%s', async (name, query) => {
    const { status, headers } = await openedAs(name, query)
    const policy = headers.get('Content-Security-Policy') ?? ''
    expect(status).toBe(200)
    expect(policy.split('; ')).toEqual([
      'sandbox allow-downloads allow-popups allow-popups-to-escape-sandbox',
      "default-src 'none'",
      "style-src 'unsafe-inline'",
      "img-src 'self' data:",
      ...(name.endsWith('.md')
        ? ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
        : ["media-src 'self' data:", 'font-src data:', "base-uri 'none'", "form-action 'none'"]),
    ])
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
  })

  it.each(['a.txt', 'a', 'a.md.txt', 'a.json', 'a.html.csv', 'html', 'a.png', 'a.pdf'])(
    'is none by another name: %s',
    async (name) => {
      const { headers } = await openedAs(name, '&raw=1')
      expect(headers.get('Content-Type')).not.toMatch(/html|xml|javascript/)
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
      const page = await openedAs(name)
      if (name === 'a.pdf') return expect(page.headers.get('Content-Type')).toBe('application/pdf')
      expect(await page.text()).not.toContain('<script')
      expect(page.headers.get('Content-Security-Policy')).toMatch(
        /^default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action '(?:none|self)'; frame-ancestors 'none'(?:; img-src 'self')?$/,
      )
    },
  )

  it('is part of a rendered page only as text', async () => {
    const html = await (await openedAs('a.md')).text()
    expect(html).toContain('&lt;script&gt;fetch(&quot;/execute&quot;)&lt;/script&gt;')
    expect(html).not.toContain('<script')
  })
})

describe('an address with markup in it', () => {
  const MARKUP = `"><script>alert(1)</script><a href='`

  it('is text in the page of a Markdown file', async () => {
    const html = await (
      await openedAs('a.md', `&x=${encodeURIComponent(MARKUP)}&y=${MARKUP}`)
    ).text()
    expect(html).not.toMatch(/<script|alert\(1\)<|href=''/)
  })

  it('is text in the page of an error', async () => {
    const { app } = await makeApp()
    const path = encodeURIComponent(MARKUP)
    const response = await app.request(`https://h/files/out?path=${path}&token=x`, {
      headers: PERSON,
    })
    expect(response.status).toBe(403)
    expect(await response.text()).not.toContain('<script')
  })
})

describe('Markdown made to be slow', () => {
  it.each([
    '['.repeat(500) + 'a@a.[a]: b\n*a a@a.'.repeat(5000),
    ']'.repeat(40_000),
    '> '.repeat(20_000),
    `[a]: ${'x'.repeat(20_000)}\n\n${'[a]'.repeat(6000)}`,
    `|${'a|'.repeat(5000)}\n|${'-|'.repeat(5000)}\n${'|\n'.repeat(10_000)}`,
  ])('is a page like any other: %#', async (text) => {
    const response = await openedAs('a.md', '', PERSON, text.slice(0, 40_000))
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=UTF-8')
    expect(await response.text()).toMatch(/<\/article>/)
  })

  it('becomes no more than a multiple of its length', () => {
    for (const [name, text] of hostileMarkdown(isAll ? undefined : 10_000)) {
      const { html } = renderMarkdown(text, 'https://moonbucket.test')
      expect([name, html.length < 50 * text.length]).toEqual([name, true])
    }
  })

  it('opens no tag that it does not close, and no tag of its own', () => {
    const tags =
      /^(?:a|article|blockquote|br|code|del|div|em|h[1-6]|hr|img|input|li|ol|p|pre|section|strong|sup|table|tbody|td|th|thead|tr|ul)$/
    for (let seed = 0; seed < (isAll ? 300 : 60); seed++) {
      const { html } = renderMarkdown(randomMarkdown(seed, 2000), 'https://moonbucket.test')
      const open: string[] = []
      for (const [, slash, name] of html.matchAll(/<(\/?)([^\s>]*)[^>]*>/g)) {
        expect(name).toMatch(tags)
        if (['br', 'hr', 'img', 'input'].includes(name!)) continue
        if (slash) expect([seed, open.pop()]).toEqual([seed, name])
        else open.push(name!)
      }
      expect([seed, open]).toEqual([seed, []])
    }
  })
})
