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
      'name,kilos,ripe\n=1+1,3.5,TRUE\n@SUM(A1),-2,FALSE\n+49 30,1E+21,\n' +
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

it('PPTX of LibreOffice has its titles and lists', async () => {
  const slide = (name: string, title: string, items: string) =>
    `<draw:page draw:name="${name}" draw:master-page-name="Default" presentation:presentation-page-layout-name="AL1T1"><draw:frame presentation:class="title" svg:x="1cm" svg:y="1cm" svg:width="20cm" svg:height="3cm"><draw:text-box><text:p>${title}</text:p></draw:text-box></draw:frame><draw:frame presentation:class="outline" svg:x="1cm" svg:y="5cm" svg:width="20cm" svg:height="10cm"><draw:text-box>${items}</draw:text-box></draw:frame></draw:page>`
  const list = (...items: string[]) =>
    `<text:list>${items.map((item) => `<text:list-item><text:p>${item}</text:p></text:list-item>`).join('')}</text:list>`
  office.put(
    'deck.fodp',
    `<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation>${slide('a', 'Fruit', list('pear', 'fig'))}${slide('b', 'More', list('Grüße'))}</office:presentation></office:body></office:document>`,
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
