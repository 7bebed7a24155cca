/** `document.text`: what each format becomes, and what is said about those that cannot be read. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import {
  makeDocx,
  makeEpub,
  makePdf,
  makePptx,
  makeXlsx,
  zipOf,
} from '../support/make-documents.ts'
import { runLua, type LuaRunOptions } from '../support/run-lua.ts'

const SCRIPT = 'return document.text(args.name, { pages = args.pages })'

async function read(
  name: string,
  file: Uint8Array | string,
  pages?: string,
  options: LuaRunOptions = {},
) {
  const storage = memoryStorage()
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file
  await storage.put(`area/${name}`, bytes)
  return runLua(SCRIPT, { storage, args: { name, pages }, ...options })
}

async function textOf(name: string, file: Uint8Array | string, pages?: string): Promise<string> {
  const { result, error } = await read(name, file, pages)
  expect(error).toBeUndefined()
  return result as string
}

async function problem(name: string, file: Uint8Array | string, pages?: string) {
  const { error } = await read(name, file, pages)
  return error?.message
}

const paragraph = (words: string, properties = '') =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${words}</w:t></w:r></w:p>`
const item = (words: string, level = 0) =>
  paragraph(words, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="3"/></w:numPr>`)

describe('HTML', () => {
  it('becomes headings, lists, tables, quotes and code', async () => {
    const html = `<!DOCTYPE html><html><head><title>No</title><style>p{}</style></head><body>
      <h1>Fruit &amp; more</h1><p>First<br>line &#8211; <b>bold</b> <a href="https://a.example/x">link</a></p>
      <ul><li>pear<ol><li>one</li><li>two</li></ol></li><li>fig</ul>
      <table><tr><th>a</th><th>b|c</th></tr><tr><td>1<td><p>2</p><p>3</p></table>
      <blockquote>Said</blockquote><pre>  x = 1
  y</pre><hr><script>alert("<p>no</p>")</script></body></html>`
    expect(await textOf('page.html', html)).toBe(
      '# Fruit & more\n\nFirst\nline – bold [link](https://a.example/x)\n\n- pear\n  1. one\n  2. two\n- fig\n\n' +
        '| a | b\\|c |\n| --- | --- |\n| 1 | 2 3 |\n\n> Said\n\n```\n  x = 1\n  y\n```\n\n---\n',
    )
  })

  it('keeps no address that could run code', async () => {
    const html =
      '<a href="javascript:alert(1)">a</a> <a href="data:text/html,x">b</a> <img src=http://x.example/ alt=picture>'
    expect(await textOf('page.html', html)).toBe('a b picture\n')
  })

  it('is decoded as it says', async () => {
    const head = new TextEncoder().encode('<meta charset="iso-8859-1"><p>')
    expect(await textOf('page.html', new Uint8Array([...head, 0xfc, 0xdf]))).toBe('üß\n')
  })
})

describe('DOCX', () => {
  it('becomes headings, lists, tables and notes', async () => {
    const body =
      paragraph('Title', '<w:pStyle w:val="T1"/>') +
      paragraph('Part', '<w:pStyle w:val="T2"/>') +
      '<w:p><w:r><w:t>Plain </w:t></w:r><w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del><w:ins><w:r><w:t>text</w:t><w:tab/><w:t>end</w:t></w:r></w:ins><w:r><w:footnoteReference w:id="2"/></w:r></w:p>' +
      item('pear') +
      item('one', 1) +
      item('two', 1) +
      item('fig') +
      `<w:tbl><w:tr><w:tc>${paragraph('a')}</w:tc><w:tc>${paragraph('b')}</w:tc></w:tr><w:tr><w:tc>${paragraph('1')}</w:tc><w:tc>${paragraph('2')}${paragraph('3')}</w:tc></w:tr></w:tbl>`
    const notes =
      '<w:footnotes><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote><w:footnote w:id="2"><w:p><w:r><w:t>A note</w:t></w:r></w:p></w:footnote></w:footnotes>'
    expect(await textOf('a.docx', makeDocx(body, { 'word/footnotes.xml': notes }))).toBe(
      '# Title\n\n## Part\n\nPlain text end[2]\n\n- pear\n  1. one\n  2. two\n- fig\n\n' +
        '| a | b |\n| --- | --- |\n| 1 | 2 3 |\n\n[2] A note\n',
    )
  })

  it('takes no macros and fetches no pictures', async () => {
    const body = `${paragraph('Text')}<w:p><w:r><w:drawing><a:blip r:link="http://x.example/p.png"/></w:drawing></w:r></w:p>`
    const docx = makeDocx(body, { 'word/vbaProject.bin': 'Sub AutoOpen()' })
    expect(await textOf('a.docx', docx)).toBe('Text\n')
  })

  it('has no pages', async () => {
    expect(await problem('a.docx', makeDocx(''), '1')).toBe('a.docx: has no pages to choose from')
  })
})

describe('PPTX', () => {
  const shape = (kind: string, ...paragraphs: string[]) =>
    `<p:sp><p:nvSpPr><p:nvPr>${kind}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs.join('')}</p:txBody></p:sp>`
  const line = (words: string, level = 0) =>
    `<a:p><a:pPr lvl="${level}"/><a:r><a:t>${words}</a:t></a:r></a:p>`
  const deck = makePptx([
    shape('<p:ph type="ctrTitle"/>', line('Fruit')) + shape('<p:ph type="sldNum"/>', line('1')),
    shape('<p:ph type="title"/>', line('Kinds')) +
      shape('<p:ph idx="1"/>', line('pear'), line('ripe', 1), line('fig')) +
      shape('', line('A box')) +
      `<p:graphicFrame><a:tbl><a:tr><a:tc>${line('a')}</a:tc><a:tc>${line('b')}</a:tc></a:tr></a:tbl></p:graphicFrame>`,
  ])

  it('becomes headings, lists and tables, slide by slide', async () => {
    expect(await textOf('a.pptx', deck)).toBe(
      '<!-- page 1 -->\n\n# Fruit\n\n<!-- page 2 -->\n\n# Kinds\n\n- pear\n  - ripe\n- fig\n\nA box\n\n| a | b |\n| --- | --- |\n',
    )
  })

  it('gives the slides that are asked for', async () => {
    expect(await textOf('a.pptx', deck, '1')).toBe('<!-- page 1 -->\n\n# Fruit\n')
    expect(await problem('a.pptx', deck, '3-')).toBe('a.pptx: has 2 pages, none of those asked for')
    expect(await problem('a.pptx', deck, '3-1')).toBe(
      'pages must be like "3", "1-3", "5-" or "1-3,7"',
    )
  })
})

describe('XLSX, EPUB and text', () => {
  it('makes a table of each sheet', async () => {
    const sheets = {
      One: '<row><c t="str"><v>a</v></c><c><v>1</v></c></row><row><c/><c><v>2</v></c></row>',
      Two: '',
    }
    expect(await textOf('a.xlsx', makeXlsx({ sheets }))).toBe(
      '<!-- page 1 -->\n\n## One\n\n| a | 1 |\n| --- | --- |\n|  | 2 |\n\n<!-- page 2 -->\n\n## Two\n',
    )
  })

  it('reads an EPUB chapter by chapter', async () => {
    const book = makeEpub(['<h1>One</h1><p>Text</p>', '<h1>Two</h1>'])
    expect(await textOf('a.epub', book)).toBe(
      '<!-- page 1 -->\n\n# One\n\nText\n\n<!-- page 2 -->\n\n# Two\n',
    )
    expect(await textOf('a.epub', book, '2')).toBe('<!-- page 2 -->\n\n# Two\n')
  })

  it('makes a table of CSV, and leaves other text as it is', async () => {
    expect(await textOf('a.csv', 'a;b\r\n"1;2";3\r\n')).toBe(
      '| a | b |\n| --- | --- |\n| 1;2 | 3 |\n',
    )
    expect(await textOf('a.md', '\ufeff# Title\n')).toBe('# Title\n')
    expect(await textOf('a.txt', new Uint8Array([0xff, 0xfe, 0x61, 0, 0x62, 0]))).toBe('ab')
    expect(await textOf('a.txt', new Uint8Array([0x67, 0xfc]))).toBe('gü')
  })
})

describe('PDF', () => {
  const pdf = makePdf([
    [
      { text: 'Annual report', size: 24 },
      { text: 'First line of text here' },
      { text: 'Second (line) of text' },
    ],
    [{ text: 'Page two' }],
  ])

  it('becomes its lines, with large ones as headings', async () => {
    expect(await textOf('a.pdf', pdf)).toBe(
      '<!-- page 1 -->\n\n# Annual report\n\nFirst line of text here\nSecond (line) of text\n\n<!-- page 2 -->\n\nPage two\n',
    )
    expect(await textOf('no-name', pdf, '2')).toBe('<!-- page 2 -->\n\nPage two\n')
  })

  it('makes a table of aligned cells', async () => {
    const row = (line: number, ...cells: string[]) =>
      cells.map((text, i) => ({ text, x: 72 + 150 * i, line }))
    const table = [row(0, 'name', 'kilos'), row(1, 'pear', '3'), row(2, 'dried fig', '12')].flat()
    expect(await textOf('a.pdf', makePdf([[...table, { text: 'After it', line: 5 }]]))).toBe(
      '<!-- page 1 -->\n\n| name | kilos |\n| --- | --- |\n| pear | 3 |\n| dried fig | 12 |\n\nAfter it\n',
    )
  })

  it('runs no script inside', async () => {
    const action = '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>'
    expect(await textOf('a.pdf', makePdf([[{ text: 'Text' }]], action))).toBe(
      '<!-- page 1 -->\n\nText\n',
    )
  })

  it('says that a scan has no text', async () => {
    expect(await problem('a.pdf', makePdf([[]]))).toBe(
      'a.pdf: has no text; it may be scanned, and pictures are not read',
    )
  })

  it('says that it is damaged', async () => {
    expect(await problem('a.pdf', '%PDF-1.7\nnothing')).toBe('a.pdf: is damaged, or is not a PDF')
  })
})

describe('what is no document', () => {
  const old = new Uint8Array(600)
  old.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])
  const locked = old.slice()
  locked.set(new TextEncoder().encode([...'EncryptedPackage'].join('\0')), 512)

  it.each([
    ['a.docx', locked, 'a.docx: is encrypted and needs a password'],
    [
      'a.doc',
      old,
      'a.doc: is of the time before 2007 (.doc, .xls, .ppt); save it in the newer format',
    ],
    ['a.zip', zipOf({ 'a.txt': 'x' }), 'a.zip: is an archive, but not DOCX, XLSX, PPTX or EPUB'],
    ['a.bin', new Uint8Array([1, 0, 2]), 'a.bin: is neither text nor a document that can be read'],
    ['a.rtf', '{\\rtf1 x}', 'a.rtf: RTF documents are not read'],
    ['a.csv', 'a\n"b', 'a.csv: line 2: a quote is never closed'],
    [
      'a.epub',
      makeEpub(['x'], {
        'META-INF/encryption.xml':
          '<EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>',
      }),
      "a.epub: is encrypted: only the seller's reader app can open it",
    ],
  ] as const)('says what %s is', async (name, file, message) => {
    expect(await problem(name, file)).toBe(message)
  })

  it('ends a bomb at a limit', async () => {
    const bomb = makeDocx(paragraph('x'.repeat(4_000_000)))
    const { error } = await read('a.docx', bomb, undefined, { limits: { parseBytes: 100_000 } })
    expect(error?.message).toBe('a.docx: unpacks to more than may be read')
  })

  it('reads documents up to a limit', async () => {
    const { error } = await read('a.txt', 'x'.repeat(600), undefined, {
      limits: { parseBytes: 500 },
    })
    expect(error?.message).toBe('a.txt: documents of up to 500 bytes are read, and this has 600')
  })
})
