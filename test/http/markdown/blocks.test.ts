/** What the lines of Markdown make: headings, lists, quotes, code, tables, footnotes. */
import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../../src/http/pages/markdown/html.ts'
import { ORIGIN } from '../../support/make-app.ts'

/** Without the line breaks between tags. */
function blocks(source: string): string {
  return renderMarkdown(source, ORIGIN).html.replaceAll(/>\n(?=<)/g, '>')
}

const code = (text: string, name = '') => `<pre tabindex="0"><code${name}>${text}</code></pre>`

describe('a heading', () => {
  it.each([
    ['# a', '<h1>a</h1>'],
    ['###### a', '<h6>a</h6>'],
    ['####### a', '<p>####### a</p>'],
    ['#a', '<p>#a</p>'],
    ['## a ##', '<h2>a</h2>'],
    ['# a #  ', '<h1>a</h1>'],
    ['# a#', '<h1>a#</h1>'],
    ['# a \\#', '<h1>a #</h1>'],
    ['# #', '<h1></h1>'],
    ['   # a', '<h1>a</h1>'],
    ['a\n# b', '<p>a</p><h1>b</h1>'],
    ['a\nb\n===', '<h1>a\nb</h1>'],
    ['a\n---', '<h2>a</h2>'],
    ['a\n=-', '<p>a\n=-</p>'],
    ['> a\n---', '<blockquote><p>a</p></blockquote><hr />'],
    ['[a]: #b\n===\n[a]', '<p>===\n<a href="#b">a</a></p>'],
  ])('is read in %j', (source, html) => {
    expect(blocks(source)).toBe(html)
  })
})

describe('a list', () => {
  it.each([
    ['- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['- a\n+ b', '<ul><li>a</li></ul><ul><li>b</li></ul>'],
    ['1. a\n2. b', '<ol><li>a</li><li>b</li></ol>'],
    ['7) a', '<ol start="7"><li>a</li></ol>'],
    ['1234567890. a', '<p>1234567890. a</p>'],
    ['a\n2. b', '<p>a\n2. b</p>'],
    ['a\n1. b', '<p>a</p><ol><li>b</li></ol>'],
    ['a\n-', '<h2>a</h2>'],
    ['a\n*', '<p>a\n*</p>'],
    ['- a\n\n  b', '<ul><li><p>a</p><p>b</p></li></ul>'],
    ['- a\n\n b', '<ul><li>a</li></ul><p>b</p>'],
    [
      '- a\n  - b\n    - c\n- d',
      '<ul><li>a\n<ul><li>b\n<ul><li>c</li></ul></li></ul></li><li>d</li></ul>',
    ],
    ['- a\n  - b\n\n    c', '<ul><li>a\n<ul><li><p>b</p><p>c</p></li></ul></li></ul>'],
    ['- a\nb', '<ul><li>a\nb</li></ul>'],
    ['-\n  a', '<ul><li>a</li></ul>'],
    ['-\n\n  a', '<ul><li></li></ul><p>a</p>'],
    ['- a\n-\n- b', '<ul><li>a</li><li></li><li>b</li></ul>'],
    ['-     a', `<ul><li>${code('a\n')}</li></ul>`],
    ['-\ta', '<ul><li>a</li></ul>'],
    ['- # a\n- > b', '<ul><li><h1>a</h1></li><li><blockquote><p>b</p></blockquote></li></ul>'],
    ['- ```\n  a\n  ```', `<ul><li>${code('a\n')}</li></ul>`],
    ['-a', '<p>-a</p>'],
    [
      '- [x] a\n- [ ] b\n- [y] c\n- [x]d',
      '<ul><li><input type="checkbox" disabled="" checked="" aria-label="Done"> a</li><li><input type="checkbox" disabled="" aria-label="To do"> b</li><li>[y] c</li><li>[x]d</li></ul>',
    ],
  ])('is read in %j', (source, html) => {
    expect(blocks(source)).toBe(html)
  })
})

describe('a quote', () => {
  it.each([
    ['> a\n> b', '<blockquote><p>a\nb</p></blockquote>'],
    ['> a\nb', '<blockquote><p>a\nb</p></blockquote>'],
    ['> a\n\nb', '<blockquote><p>a</p></blockquote><p>b</p>'],
    ['>a\n>\n> b', '<blockquote><p>a</p><p>b</p></blockquote>'],
    ['> > a\n> b', '<blockquote><blockquote><p>a\nb</p></blockquote></blockquote>'],
    ['> - a\n- b', '<blockquote><ul><li>a</li></ul></blockquote><ul><li>b</li></ul>'],
    ['> ```\n> a\nb', `<blockquote>${code('a\n')}</blockquote><p>b</p>`],
    ['    > a', code('&gt; a\n')],
  ])('is read in %j', (source, html) => {
    expect(blocks(source)).toBe(html)
  })
})

describe('code', () => {
  it.each([
    ['```\na\n```', code('a\n')],
    ['```lua x\na\n```', code('a\n', ' class="language-lua"')],
    ['~~~\n```\n~~~', code('```\n')],
    ['````\n```\n````', code('```\n')],
    ['```\na\n`````', code('a\n')],
    ['```\na', code('a\n')],
    ['```\n\n  a\n```', code('\n  a\n')],
    ['  ```\n  a\n   b\n  ```', code('a\n b\n')],
    ['``` a`b', '<p>``` a`b</p>'],
    ['a\n```\nb\n```\nc', `<p>a</p>${code('b\n')}<p>c</p>`],
    ['    a\n\n      b\n\n\nc', `${code('a\n\n  b\n')}<p>c</p>`],
    ['\ta\tb', code('a\tb\n')],
    ['a\n    b', '<p>a\nb</p>'],
    ['    <a> &amp; *b*', code('&lt;a&gt; &amp;amp; *b*\n')],
  ])('is read in %j', (source, html) => {
    expect(blocks(source)).toBe(html)
  })
})

describe('a table', () => {
  const table = (head: string, body: string) =>
    `<div class="wide" role="region" aria-label="Table" tabindex="0"><table><thead>${head}</thead>${body && `<tbody>${body}</tbody>`}</table></div>`

  it.each([
    ['a|b\n-|-\nc|d', table('<tr><th>a</th><th>b</th></tr>', '<tr><td>c</td><td>d</td></tr>')],
    [
      '| a | b | c |\n| :- | :-: | -: |',
      table(
        '<tr><th align="left">a</th><th align="center">b</th><th align="right">c</th></tr>',
        '',
      ),
    ],
    ['|a|\n|-|\n|b|c|\n||', table('<tr><th>a</th></tr>', '<tr><td>b</td></tr><tr><td></td></tr>')],
    ['|a|\n|-|\n|`b\\|c`|', table('<tr><th>a</th></tr>', '<tr><td><code>b|c</code></td></tr>')],
    ['|a|\n|-|\n\nb', `${table('<tr><th>a</th></tr>', '')}<p>b</p>`],
    ['|a|\n|-|\n> b', `${table('<tr><th>a</th></tr>', '')}<blockquote><p>b</p></blockquote>`],
    ['x\n|a|\n|-|', `<p>x</p>${table('<tr><th>a</th></tr>', '')}`],
    ['|a|b|\n|-|', '<p>|a|b|\n|-|</p>'],
    ['|a|\n|x|', '<p>|a|\n|x|</p>'],
    ['|a|\n|:|', '<p>|a|\n|:|</p>'],
  ])('is read in %j', (source, html) => {
    expect(blocks(source)).toBe(html)
  })
})

describe('a footnote', () => {
  const call = (number: number, id: string) =>
    `<sup><a href="#fn-${number}" id="${id}" aria-describedby="footnotes">${number}</a></sup>`
  const back = (...ids: string[]) =>
    `<p>${ids.map((id) => `<a href="#${id}" aria-label="Back to the text">↩</a>`).join(' ')}</p>`
  const notes = (...items: string[]) =>
    `<section class="footnotes"><h2 id="footnotes" class="sr-only">Footnotes</h2><ol>${items.join('')}</ol></section>`

  it('is numbered by its first call, and leads back to each', () => {
    const source = 'a[^y] b[^x] c[^y]\n\n[^x]: d\n\n[^y]: e\n\n    f'
    expect(blocks(source)).toBe(
      `<p>a${call(1, 'fnref-1')} b${call(2, 'fnref-2')} c${call(1, 'fnref-1-2')}</p>` +
        notes(
          `<li id="fn-1"><p>e</p><p>f</p>${back('fnref-1', 'fnref-1-2')}</li>`,
          `<li id="fn-2"><p>d</p>${back('fnref-2')}</li>`,
        ),
    )
  })

  it('may call another', () => {
    expect(blocks('a[^x]\n\n[^x]: b[^y]\n[^y]: c')).toBe(
      `<p>a${call(1, 'fnref-1')}</p>` +
        notes(
          `<li id="fn-1"><p>b${call(2, 'fnref-2')}</p>${back('fnref-1')}</li>`,
          `<li id="fn-2"><p>c</p>${back('fnref-2')}</li>`,
        ),
    )
  })

  it.each([
    ['[^x]', '<p>[^x]</p>'],
    ['a\n\n[^x]: b', '<p>a</p>'],
    ['[^ x]\n\n[^ x]: b', '<p><a>^ x</a></p>'],
  ])('needs a call and a definition: %j', (source, html) => {
    expect(blocks(source)).toBe(html)
  })
})

it.each([
  ['a\n\nb', '<p>a</p><p>b</p>'],
  ['a\r\nb\rc', '<p>a\nb\nc</p>'],
  ['***\n- - -\n__', '<hr /><hr /><p>__</p>'],
  ['', ''],
  ['\n \n', ''],
])('reads the lines of %j', (source, html) => {
  expect(blocks(source)).toBe(html)
})
