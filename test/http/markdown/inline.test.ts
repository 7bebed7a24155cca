/** What stands within a line of Markdown: emphasis, links, code, references. */
import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../../src/http/pages/markdown/html.ts'
import { ORIGIN } from '../../support/make-app.ts'

/** Of one paragraph. */
function inline(source: string): string {
  return renderMarkdown(source, ORIGIN).html.replace(/^<p>([^]*)<\/p>$/, '$1')
}

const link = (href: string, text: string) => `<a href="https://e.test/${href}">${text}</a>`

describe('emphasis', () => {
  it.each([
    ['**a *b* c**', '<strong>a <em>b</em> c</strong>'],
    ['*a **b***', '<em>a <strong>b</strong></em>'],
    ['***a***', '<em><strong>a</strong></em>'],
    ['****a****', '<strong><strong>a</strong></strong>'],
    ['*a **b*', '*a *<em>b</em>'],
    ['**a*', '*<em>a</em>'],
    ['*a* b *c*', '<em>a</em> b <em>c</em>'],
    ['*a*b*c*', '<em>a</em>b<em>c</em>'],
    ['a* b*', 'a* b*'],
    ['*a *', '*a *'],
    ['* a*b', '<ul>\n<li>a*b</li>\n</ul>'],
    ['*a _b* c_', '<em>a _b</em> c_'],
    ['*a_b_*', '<em>a_b_</em>'],
    ['a*"b"*c', 'a*&quot;b&quot;*c'],
    ['a_"b"_c', 'a_&quot;b&quot;_c'],
    ['"_b_"', '&quot;<em>b</em>&quot;'],
    ['a_b _c_', 'a_b <em>c</em>'],
    ['😀_b_', '😀<em>b</em>'],
    ['é_b_', 'é_b_'],
  ])('pairs the marks of %j', (source, html) => {
    expect(inline(source)).toBe(html)
  })

  it.each([
    ['*a**b*', '<em>a**b</em>'],
    ['**a*b**', '<strong>a*b</strong>'],
    ['a***b** c*', 'a<em><strong>b</strong> c</em>'],
    ['*a***b***c*', '<em>a</em><strong>b</strong><em>c</em>'],
    ['a*b**c d*', 'a<em>b**c d</em>'],
  ])('does not pair marks whose lengths add up to a multiple of three: %j', (source, html) => {
    expect(inline(source)).toBe(html)
  })

  it.each([
    ['~a~', '<del>a</del>'],
    ['~~a ~b~ c~~', '<del>a <del>b</del> c</del>'],
    ['~~a~', '~~a~'],
    ['~~~a~~~ b', '<pre tabindex="0"><code class="language-a~~~"></code></pre>'],
    ['a ~~~b~~~', 'a ~~~b~~~'],
  ])('strikes out between one or two tildes: %j', (source, html) => {
    expect(inline(source)).toBe(html)
  })
})

describe('a link', () => {
  it.each([
    ['[a](https://e.test/)', link('', 'a')],
    ['[a](<https://e.test/b c>)', link('b%20c', 'a')],
    ['[a](https://e.test/b\\)c)', link('b)c', 'a')],
    ['[a](https://e.test/b\\(c)', link('b(c', 'a')],
    ['[a](https://e.test/(b(c)))', link('(b(c))', 'a')],
    ['[a](https://e.test/(b)', `[a](${link('(b)', 'https://e.test/(b)')}`],
    ['[a](https://e.test/&amp;&#x41;&quot;)', link('&amp;A&quot;', 'a')],
    ['[a](https://e.test/%41%)', link('%41%25', 'a')],
    ['[a]( https://e.test/\n"b" )', '<a href="https://e.test/" title="b">a</a>'],
    ['[a](https://e.test/ (b))', '<a href="https://e.test/" title="b">a</a>'],
    [
      '[a](https://e.test/ "b\\"&lt;&#38;")',
      '<a href="https://e.test/" title="b&quot;&lt;&amp;">a</a>',
    ],
    ['[a]()', '<a>a</a>'],
    ['[a](#b)', '<a href="#b">a</a>'],
    ['[*a* `b]`](#b)', '<a href="#b"><em>a</em> <code>b]</code></a>'],
    ['*[a*](#b)', '*<a href="#b">a*</a>'],
    ['[a [b](#c) d](#e)', '[a <a href="#c">b</a> d](#e)'],
    ['[a ![b](#c) d](#e)', '<a href="#e">a b d</a>'],
    ['[a](#b "c)', '[a](#b &quot;c)'],
    ['[a] (#b)', '[a] (#b)'],
    ['\\[a](#b)', '[a](#b)'],
  ])('is read in %j', (source, html) => {
    expect(inline(source)).toBe(html)
  })

  it.each([
    ['[a b][C\n d]\n\n[c D]: #e', '<a href="#e">a b</a>'],
    ['[a][]\n\n[a]: #e', '<a href="#e">a</a>'],
    ['[a]\n\n[a]: #e\n[a]: #f', '<a href="#e">a</a>'],
    ['[ß]\n\n[SS]: #e', '<a href="#e">ß</a>'],
    ['[a][b]\n\n[a]: #e', '[a][b]'],
    ['[a]\n\n[a]: <#e>\n  "t\nu"', '<a href="#e" title="t\nu">a</a>'],
    ['[a]\n\n[a]: #e "t" u', '[a]</p>\n<p>[a]: #e &quot;t&quot; u'],
    ['[a]\n\n[a]: #e\n"t" u', '<a href="#e">a</a></p>\n<p>&quot;t&quot; u'],
    ['[a]\n\nb\n[a]: #e', '[a]</p>\n<p>b\n[a]: #e'],
    ['[]\n\n[]: #e', '[]</p>\n<p>[]: #e'],
    [`[${'a'.repeat(999)}]\n\n[${'a'.repeat(999)}]: #e`, `<a href="#e">${'a'.repeat(999)}</a>`],
    [
      `[${'a'.repeat(1000)}]\n\n[${'a'.repeat(1000)}]: #e`,
      `[${'a'.repeat(1000)}]</p>\n<p>[${'a'.repeat(1000)}]: #e`,
    ],
  ])('finds its definition: %j', (source, html) => {
    expect(inline(source)).toBe(html)
  })

  it.each([
    ['<https://e.test/a?b=c&d>', link('a?b=c&amp;d', 'https://e.test/a?b=c&amp;d')],
    ['<a.b@e.test>', '<a href="mailto:a.b@e.test">a.b@e.test</a>'],
    ['<a b>', '&lt;a b&gt;'],
    ['https://e.test/a).', `${link('a', 'https://e.test/a')}).`],
    ['(https://e.test/a)', `(${link('a', 'https://e.test/a')})`],
    ['https://e.test/a(b)c', link('a(b)c', 'https://e.test/a(b)c')],
    ['https://e.test/a&copy;', `${link('a', 'https://e.test/a')}&copy;`],
    ['https://e.test/a;', link('a;', 'https://e.test/a;')],
    ['*https://e.test/a*', `<em>${link('a', 'https://e.test/a')}</em>`],
    ['https://local/', 'https://local/'],
    ['https://a_b.test/', 'https://a_b.test/'],
    ['xhttps://e.test', 'xhttps://e.test'],
    ['www.e.test.', '<a href="http://www.e.test">www.e.test</a>.'],
    ['a+b@e.test!', '<a href="mailto:a+b@e.test">a+b@e.test</a>!'],
    ['@e.test', '@e.test'],
    ['a @e.test', 'a @e.test'],
    ['a@e.test-', 'a@e.test-'],
    ['a@local', 'a@local'],
  ])('needs no brackets: %j', (source, html) => {
    expect(inline(source)).toBe(html)
  })

  it('contains no other link', () => {
    expect(inline('[<https://e.test/a>](#b) <https://e.test/c>')).toBe(
      `<a href="#b">https://e.test/a</a> ${link('c', 'https://e.test/c')}`,
    )
  })
})

describe('an image', () => {
  const src = `${ORIGIN}/files/out?path=a.png`

  it.each([
    [`![a *b* [c](#d)](${src})`, `<img src="${src}" alt="a b c">`],
    [`![a\nb](${src})`, `<img src="${src}" alt="a\nb">`],
    [`![a  \nb\\\nc](${src})`, `<img src="${src}" alt="a\nb\nc">`],
    [
      `[![a](${src})](#b) ![c](https://e.test/c)`,
      `<a href="#b"><img src="${src}" alt="a"></a> ${link('c', 'c')}`,
    ],
    [`![a]\n\n[a]: ${src}`, `<img src="${src}" alt="a">`],
    ['!a', '!a'],
  ])('is read in %j', (source, html) => {
    expect(inline(source)).toBe(html)
  })
})

describe('text', () => {
  it.each([
    ['`a`', '<code>a</code>'],
    ['`` a`b ``', '<code>a`b</code>'],
    ['`  `', '<code>  </code>'],
    ['`a\nb`', '<code>a b</code>'],
    ['`a\\`', '<code>a\\</code>'],
    ['`*a*`', '<code>*a*</code>'],
    ['``a`', '``a`'],
    ['`a``b', '`a``b'],
  ])('is code in %j', (source, html) => {
    expect(inline(source)).toBe(html)
  })

  it.each([
    ['&amp; &#38; &#x26; &', '&amp; &amp; &amp; &amp;'],
    ['&#0; &#xd800; &#1114112;', '\ufffd \ufffd \ufffd'],
    ['&x; &nosuch; &;', '&amp;x; &nosuch; &amp;;'],
    ['&#128512;', '😀'],
    ['\\*a\\* \\a \\&', '*a* \\a &amp;'],
    ['a \nb', 'a\nb'],
    ['a  \n  b', 'a<br />\nb'],
    ['a\t\nb', 'a\nb'],
    ['a\\', 'a\\'],
    ['a\0b', 'a\ufffdb'],
  ])('keeps its characters: %j', (source, html) => {
    expect(inline(source)).toBe(html)
  })
})
