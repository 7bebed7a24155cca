/** What we write opens in LibreOffice, and what LibreOffice writes is read here. */
import { afterAll, describe, expect, it } from 'vitest'
import { openOffice, runWith } from './office.ts'

const office = openOffice()
afterAll(() => office.close())

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('XLSX', () => {
  it('of ours is the same CSV in LibreOffice', async () => {
    const { get } = await runWith(`
      xlsx.write("ours.xlsx", { Data = {
        { "name", "kilos", "ripe" },
        { "=1+1", 3.5, true }, { "@SUM(A1)", -2, false }, { "+49 30", 1e21 },
        { 'say "hi", Grüße 🍐 <&>', 0.1 }, { "two\\nlines", nil, true }, { "9007199254740993", math.maxinteger },
      } })`)
    office.put('ours.xlsx', await get('ours.xlsx'))
    // Separated by commas, quoted by quotes, in UTF-8.
    office.convert('ours.xlsx', 'csv:Text - txt - csv (StarCalc):44,34,76')
    expect(text(office.get('ours.csv'))).toBe(
      'name,kilos,ripe\n=1+1,3.5,TRUE\n@SUM(A1),-2,FALSE\n+49 30,1E+021,\n' +
        '"say ""hi"", Grüße 🍐 <&>",0.1,\n"two\nlines",,TRUE\n9007199254740993,9223372036854775807,\n',
    )
  })

  it('of ours with 20,000 rows and two sheets has them all', async () => {
    const { get } = await runWith(`
      local n = 0
      local function more() n = n + 1 if n <= 20000 then return { n, "row " .. n, n / 4 } end end
      xlsx.write("long.xlsx", { { name = "Long", rows = more }, { name = "Z", rows = { { 1 } } } })`)
    office.put('long.xlsx', await get('long.xlsx'))
    office.convert('long.xlsx', 'csv:Text - txt - csv (StarCalc):44,34,76')
    const lines = text(office.get('long.csv')).trim().split('\n')
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([
      20_000,
      '1,row 1,0.25',
      '20000,row 20000,5000',
    ])
  })

  it('of LibreOffice is read, with dates and formulas', async () => {
    office.put('theirs.csv', 'name,due,count\npear,2026-11-17,3\n"fig, dried",2026-01-02,=1+1\n')
    // Quoted text, UTF-8, from line 1, dates recognised; formulas evaluated.
    office.convert(
      'theirs.csv',
      'xlsx:Calc MS Excel 2007 XML',
      'CSV:44,34,76,1,,0,false,true,false,false,false,0,false,true',
    )
    const script =
      'local rows = {} for row in xlsx.rows("t.xlsx") do rows[#rows + 1] = row end return rows'
    const { result } = await runWith(script, ['t.xlsx', office.get('theirs.xlsx')])
    expect(result).toMatchObject([
      { name: 'pear', due: '2026-11-17', count: 3 },
      { name: 'fig, dried', due: '2026-01-02' },
    ])
  })
})

const PAGE = `<html><body><h1>Fruit report</h1><p>Pears &amp; figs, Grüße.</p><h2>Kinds</h2>
  <ul><li>pear<ul><li>ripe</li></ul></li><li>fig</li></ul><ol><li>first</li><li>second</li></ol>
  <table border="1"><tr><th>name</th><th>kilos</th></tr><tr><td>pear</td><td>3</td></tr></table></body></html>`

it('DOCX of LibreOffice has its headings, lists and tables', async () => {
  office.put('page.html', PAGE)
  office.convert('page.html', 'docx:MS Word 2007 XML', 'HTML (StarWriter)')
  const { result } = await runWith('return document.text("p.docx")', [
    'p.docx',
    office.get('page.docx'),
  ])
  expect(result).toBe(
    '# Fruit report\n\nPears & figs, Grüße.\n\n## Kinds\n\n- pear\n  - ripe\n- fig\n\n1. first\n2. second\n\n' +
      '| name | kilos |\n| --- | --- |\n| pear | 3 |\n',
  )
})

const NAMESPACES = Object.entries({
  office: 'office:1.0',
  draw: 'drawing:1.0',
  text: 'text:1.0',
  svg: 'svg-compatible:1.0',
  presentation: 'presentation:1.0',
  style: 'style:1.0',
  fo: 'xsl-fo-compatible:1.0',
}).map(([prefix, name]) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${name}"`)

/** A deck in one file of XML. Without styles, LibreOffice would make plain boxes of its frames. */
function deckOf(slides: readonly (readonly [title: string, ...items: string[]])[]): string {
  const style = (name: string) =>
    `<style:style style:name="${name}" style:family="presentation"><style:graphic-properties draw:stroke="none"/></style:style>`
  const frame = (name: string, kind: string, top: number, content: string) =>
    `<draw:frame presentation:style-name="${name}" presentation:class="${kind}" svg:x="1cm" svg:y="${top}cm" svg:width="20cm" svg:height="4cm"><draw:text-box>${content}</draw:text-box></draw:frame>`
  const pages = slides.map(([title, ...items], i) => {
    const list = items.map((item) => `<text:list-item><text:p>${item}</text:p></text:list-item>`)
    return `<draw:page draw:name="p${i}" draw:master-page-name="Default">${frame('Default-title', 'title', 1, `<text:p>${title}</text:p>`)}${frame('Default-outline1', 'outline', 6, `<text:list>${list.join('')}</text:list>`)}</draw:page>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?><office:document ${NAMESPACES.join(' ')} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:styles>${style('Default-title')}${style('Default-outline1')}</office:styles><office:automatic-styles><style:page-layout style:name="PM1"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout></office:automatic-styles><office:master-styles><style:master-page style:name="Default" style:page-layout-name="PM1"/></office:master-styles><office:body><office:presentation>${pages.join('')}</office:presentation></office:body></office:document>`
}

it('PPTX of LibreOffice has its titles and lists', async () => {
  office.put(
    'deck.fodp',
    deckOf([
      ['Fruit', 'pear', 'fig'],
      ['More', 'Grüße'],
    ]),
  )
  office.convert('deck.fodp', 'pptx:Impress MS PowerPoint 2007 XML')
  const { result } = await runWith('return document.text("d.pptx")', [
    'd.pptx',
    office.get('deck.pptx'),
  ])
  expect(result).toBe(
    '<!-- page 1 -->\n\n# Fruit\n\n- pear\n- fig\n\n<!-- page 2 -->\n\n# More\n\n- Grüße\n',
  )
})
