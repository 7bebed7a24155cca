/** The documentation as text: Markdown for models, and the search index. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { parseHtml, textOf } from '../../../../infra/build/site/docs/text/html-tree.ts'
import { markdownOf } from '../../../../infra/build/site/docs/text/markdown.ts'
import { parseBlocks } from '../../../../src/http/pages/markdown/blocks.ts'
import { parseInline } from '../../../../src/http/pages/markdown/inline.ts'
import { piecesHtml } from '../../../../src/http/pages/markdown/pieces.ts'
import type { Block } from '../../../../src/http/pages/markdown/tree.ts'
import { find, type IndexedPage } from '../../../../src/site/docs/search/find.ts'
import { docsPages, mainOf, read } from './docs-pages.ts'

const pages = docsPages()
const indexAddress = /data-index="([^"]+)"/.exec(pages.get('/docs')!)![1]!
const index = JSON.parse(read(indexAddress.slice(1))) as IndexedPage[]

/** Letters and signs in their order. */
const squeezed = (text: string) => text.replaceAll(/\s+/g, '')

/** What a reader of Markdown sees. */
function rendered(blocks: readonly Block[]): string {
  return blocks.map(renderedBlock).join('\n')
}

function renderedBlock(block: Block): string {
  const inline = (text: string) =>
    textOf(parseHtml(piecesHtml(parseInline(text, { target: noTarget, note: noTarget }), '/')))
  if ('text' in block) return inline(block.text)
  if ('lines' in block) return block.lines.join('\n')
  if ('rows' in block) return block.rows.map((row) => row.map(inline).join('\n')).join('\n')
  return 'children' in block ? rendered(block.children) : ''
}

const noTarget = () => undefined

describe('Markdown', () => {
  it.each([...pages.keys()])('of %s says what the page says', (path) => {
    const main = mainOf(pages.get(path)!)
      // The way up and the names of languages are left out, and what is optional is in brackets.
      .replace(/<p class="crumbs">.*?<\/p>/s, '')
      .replaceAll(/<p class="language">.*?<\/p>/g, '')
      .replaceAll(/<span class="optional">(.*?)<\/span>/g, '($1)')
    const markdown = read(`${path.slice(1)}.md`)
    const text = rendered(parseBlocks(markdown).root.children)
    expect(squeezed(text)).toBe(squeezed(textOf(parseHtml(main))))
  })

  it('leads from page to page as Markdown, to nothing that is missing', () => {
    const targets = [...pages.keys()].flatMap((path) => {
      const links = read(`${path.slice(1)}.md`).matchAll(/\]\((\/[^)#]*)/g)
      return Array.from(links, ([, target]) => target!)
    })
    expect(targets.length).toBeGreaterThan(100)
    const known = new Set(['/', '/openapi.json', '/llms.txt'])
    for (const path of pages.keys()) known.add(`${path}.md`)
    expect(targets.filter((target) => !known.has(target))).toEqual([])
  })

  it.each([
    ['<p>a * b_ [c] &#60;d&#62; \\ e_f</p>', 'a \\* b\\_ \\[c\\] \\<d> \\\\ e_f\n'],
    ['<p><code>a`b</code></p>', '``a`b``\n'],
    [
      '<ol><li><p>One</p>\n<div class="code sh"><pre>x</pre></div></li></ol>',
      '1. One\n\n   ```sh\n   x\n   ```\n',
    ],
    ['<div class="code text"><pre>```\nx</pre></div>', '````text\n```\nx\n````\n'],
    [
      '<ul><li>One <strong>two</strong></li><li><a href="/docs/lua#io">io</a></li></ul>',
      '- One **two**\n- [io](/docs/lua.md#io)\n',
    ],
  ])('of %s', (html, markdown) => {
    expect(markdownOf(parseHtml(html))).toBe(markdown)
  })

  it.each(['<p>', '<p></b>', '<p x=1></p>', 'a < b'])('is not made of %s', (html) => {
    expect(() => parseHtml(html)).toThrow()
  })
})

describe('llms.txt', () => {
  const lines = read('llms.txt').split('\n')

  it('has a title, a summary and sections of links, as the convention has it', () => {
    expect(lines[0]).toBe('# Moonbucket')
    expect(lines[2]).toMatch(/^> /)
    const sections = read('llms.txt').split(/^## /m).slice(1)
    expect(sections.length).toBeGreaterThan(3)
    for (const section of sections) {
      const [, , ...links] = section.trimEnd().split('\n')
      expect(links.filter((line) => !/^- \[[^\]]+\]\(\/[^)]+\): .+\.$/.test(line))).toEqual([])
    }
  })

  it('names every page but those of single functions', () => {
    const single = [...pages.keys()].filter((path) => !path.startsWith('/docs/lua/'))
    expect(single.filter((path) => !lines.some((line) => line.includes(`(${path}.md)`)))).toEqual(
      [],
    )
  })

  it('is joined by a file that has all of them and still fits into a model', () => {
    const full = read('llms-full.txt')
    for (const path of pages.keys()) {
      if (!path.startsWith('/docs/lua/')) expect(full).toContain(read(`${path.slice(1)}.md`))
    }
    expect(full.length).toBeLessThan(290_000)
  })
})

describe('the index', () => {
  it('has every page, and is small', () => {
    expect(index.map(([path]) => path).sort()).toEqual([...pages.keys()].sort())
    expect(gzipSync(JSON.stringify(index)).length).toBeLessThan(62_000)
  })

  it('leads to headings that exist', () => {
    const broken = index.flatMap(([path, , sections]) =>
      sections
        .filter(([anchor]) => anchor !== '' && !pages.get(path)!.includes(`id="${anchor}"`))
        .map(([anchor]) => `${path}#${anchor}`),
    )
    expect(broken).toEqual([])
  })

  it.each([
    ['io.open', '/docs/lua/io.open'],
    ['gsub', '/docs/lua/string.gsub'],
    ['json.decode', '/docs/lua/json.decode'],
    ['deploy', '/docs/deploy'],
    ['rotate secrets', '/docs/operate#rotate-secrets'],
    ['claude code', '/docs/agents#claude-code'],
    ['upload link', '/docs/api#get_upload_link'],
    ['tenants', '/docs/auth'],
    ['exit code', '/docs/command#run-a-script'],
    ['MIGRATE', '/docs/migrate'],
    ['errors', '/docs/errors'],
    ['python', '/docs/clients'],
    ['token', '/docs/auth'],
    ['docker', '/docs/deploy#node'],
  ])('%s finds %s among the first', (query, href) => {
    const first = find(index, query).slice(0, 3)
    expect(first.map((hit) => hit.href)).toContain(href)
  })

  it('finds sections that have all words, and marks them', () => {
    for (const { href, title, heading, snippet } of find(index, 'append lose')) {
      const [path, anchor = ''] = href.split('#')
      const [, , sections] = index.find(([each]) => each === path)!
      const [, , text] = sections.find(([each]) => each === anchor)!
      expect(`${title} ${heading} ${text}`.toLowerCase()).toMatch(/append[^]*lose|lose[^]*append/)
      expect(snippet.join('').length).toBeLessThan(140)
    }
    expect(find(index, 'append lose').length).toBeGreaterThan(0)
    expect(find(index, 'io.list')[0]!.snippet.filter((_, i) => i % 2 === 1)).not.toEqual([])
  })

  it.each(['', '   ', 'qqqq', '(', '[a-', '\\', '.*'])('takes %j as text', (query) => {
    expect(find(index, query).every(({ href }) => href.startsWith('/docs'))).toBe(true)
  })
})
