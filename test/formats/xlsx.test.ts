/** `xlsx` in scripts: what is written is read back, and what other programs write is read. */
import { unzipSync, strFromU8 } from 'fflate'
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { makeXlsx, zipOf } from '../support/make-documents.ts'
import { runLua, type LuaRunOptions } from '../support/run-lua.ts'

const READ = `
local rows = {}
for row in xlsx.rows("in.xlsx", args and args.sheet, args and args.options) do
  rows[#rows + 1] = row
end
return rows`

async function read(file: Uint8Array, options: LuaRunOptions = {}) {
  const storage = memoryStorage()
  await storage.put('area/in.xlsx', file)
  return runLua(READ, { storage, ...options })
}

const LISTS = { options: { header: false } }

async function written(script: string): Promise<Record<string, string>> {
  const storage = memoryStorage()
  const { error } = await runLua(script, { storage })
  expect(error).toBeUndefined()
  const file = await storage.get('area/out.xlsx')
  const parts = Object.entries(unzipSync(file!.body))
  return Object.fromEntries(parts.map(([name, bytes]) => [name, strFromU8(bytes)]))
}

async function failure(script: string) {
  const { error, files } = await runLua(script)
  return [error?.message, files]
}

describe('xlsx.write', () => {
  it('gives back by name what it was given', async () => {
    const { result, error } = await runLua(`
      local rows = {
        { name = "pear", kilos = 3.5, ripe = true },
        { name = " =1+1 ", kilos = -2 },
        { name = "a\\r\\nb\\0c _x0041_ <&\\"> 🍐", ripe = false, kilos = 1e300 },
      }
      xlsx.write("out.xlsx", { Fruit = rows })
      local back = {}
      for row in xlsx.rows("out.xlsx") do back[#back + 1] = row end
      return { back, xlsx.sheets("out.xlsx") }`)
    expect(error).toBeUndefined()
    expect(result).toEqual([
      [
        { name: 'pear', kilos: 3.5, ripe: true },
        { name: ' =1+1 ', kilos: -2 },
        { name: 'a\r\nb\0c _x0041_ <&"> 🍐', ripe: false, kilos: 1e300 },
      ],
      ['Fruit'],
    ])
  })

  it('takes lists with gaps, iterators, and sheets in an order', async () => {
    const { result, error } = await runLua(`
      local n = 0
      local function counting()
        n = n + 1
        if n <= 1000 then return { n, nil, "x" .. n } end
      end
      xlsx.write("out.xlsx", {
        { name = "Z", rows = counting },
        { name = "A", rows = { { 1, json.null, nil, 4 }, {}, { "last" } } },
      })
      local count, last = 0, nil
      for row in xlsx.rows("out.xlsx", "Z", { header = false }) do
        count, last = count + 1, row
      end
      local a = {}
      for row in xlsx.rows("out.xlsx", 2, { header = false }) do a[#a + 1] = row end
      return { count, last, a, xlsx.sheets("out.xlsx") }`)
    expect(error).toBeUndefined()
    expect(result).toEqual([
      1000,
      [1000, null, 'x1000'],
      [[1, null, null, 4], ['last']],
      ['Z', 'A'],
    ])
  })

  it.each(['=1+1', '@SUM(A1)', '+1', '-1+1', '=cmd|x'])(
    'stores %j as text, never as formula',
    async (text) => {
      const parts = await written(`xlsx.write("out.xlsx", { S = { { "${text}" } } })`)
      const sheet = parts['xl/worksheets/sheet1.xml']!
      expect(sheet).toContain(`t="inlineStr" s="1"><is><t>${text}</t></is>`)
      expect(sheet).not.toContain('<f')
      expect(parts['xl/styles.xml']).toContain('quotePrefix="1"')
    },
  )

  it('keeps all digits of integers, as text where Excel would round them', async () => {
    const parts = await written(
      'xlsx.write("out.xlsx", { S = { { (1 << 53) - 1, math.maxinteger } } })',
    )
    const sheet = parts['xl/worksheets/sheet1.xml']!
    expect(sheet).toContain('<v>9007199254740991</v>')
    expect(sheet).toContain('<t>9223372036854775807</t>')
  })

  it('writes the columns that are asked for, in their order', async () => {
    const { result } = await runLua(`
      xlsx.write("out.xlsx", { S = { { b = 2, a = 1 }, { c = 3 } } }, { columns = { "c", "b", "a" } })
      local rows = {}
      for row in xlsx.rows("out.xlsx", nil, { header = false }) do rows[#rows + 1] = row end
      return rows`)
    expect(result).toEqual([['c', 'b', 'a'], [null, 2, 1], [3]])
  })

  it.each([
    [
      '{ S = { { a = 1 }, { b = 2 } } }',
      'sheet "S", row 3: no column is named "b"; give all names as columns',
    ],
    [
      '{ S = { { {} } } }',
      'sheet "S", row 1, column 1: a cell holds text, a number or a boolean, not a table',
    ],
    [
      '{ S = { { ("x"):rep(32768) } } }',
      'sheet "S", row 1, column 1: text of 32768 characters; a cell holds 32767',
    ],
    ['{ ["a/b"] = {} }', 'sheet "a/b": a name cannot contain [ ] : * ? / \\ or quotes around it'],
    ['{ [""] = {} }', 'sheet "": a name has 1 to 31 characters'],
    ['{ A = {}, a = {} }', 'sheet "a": there are two of this name'],
    ['{ S = { 5 } }', 'a row must be a table of cells'],
    ['{ S = 5 }', "bad argument #2 to 'write' (rows of sheet 'S' must be a table or an iterator)"],
  ])('refuses %s and leaves no file', async (sheets, message) => {
    expect(await failure(`xlsx.write("out.xlsx", ${sheets})`)).toEqual([`script:1: ${message}`, []])
  })

  it('leaves no file if the iterator fails', async () => {
    const [message, files] = await failure(
      'xlsx.write("out.xlsx", { S = function() error("no more", 0) end })',
    )
    expect([message, files]).toEqual(['no more', []])
  })
})

describe('xlsx.rows', () => {
  it('reads texts, dates, booleans, errors and results of formulas', async () => {
    const file = makeXlsx({
      strings: [
        '<t>pear</t>',
        '<r><t>ri</t></r><r><t xml:space="preserve">pe </t></r><rPh><t>no</t></rPh>',
        '<t/>',
      ],
      formats: ['yyyy\\-mm\\-dd', '[$-409]h:mm AM/PM', '0.00" days"', '[h]:mm:ss', 'd/m/yy h:mm'],
      sheets: {
        One: `<row r="2"><c r="A2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c><c r="D2" t="s"><v>2</v></c></row>
          <row r="5"><c r="A5" s="1"><v>46343</v></c><c r="B5" s="2"><v>0.5</v></c><c r="C5" s="3"><v>2.5</v></c><c r="D5" s="4"><v>1.25</v></c><c r="E5" s="5"><v>46343.395833333336</v></c></row>
          <row r="6"><c r="A6" t="b"><v>1</v></c><c r="B6" t="e"><v>#DIV/0!</v></c><c r="C6" t="str"><f>A1</f><v>x_x000D_y</v></c><c r="D6"><f>1+1</f><v>2</v></c><c r="E6"/></row>
          <row r="7"><c><v>9007199254740993</v></c><c t="inlineStr"><is><t>in</t></is></c></row>`,
      },
    })
    const { result, error } = await read(file, { args: LISTS })
    expect(error).toBeUndefined()
    expect(result).toEqual([
      ['pear', null, 'ripe '],
      ['2026-11-17', '12:00:00', 2.5, '1900-01-01T06:00:00', '2026-11-17T09:30:00'],
      [true, '#DIV/0!', 'x\ry', 2],
      ['9007199254740993', 'in'],
    ])
  })

  it('counts days from 1904 where the workbook says so', async () => {
    const sheets = { S: '<row><c s="1"><v>0</v></c><c s="1"><v>44881</v></c></row>' }
    const { result } = await read(makeXlsx({ sheets, formats: ['dd.mm.yyyy'], is1904: true }), {
      args: LISTS,
    })
    expect(result).toEqual([['1904-01-01', '2026-11-17']])
  })

  it('names the sheets it has if it lacks one', async () => {
    const file = makeXlsx({ sheets: { One: '', Two: '' } })
    const { error } = await read(file, { args: { sheet: 'Three' } })
    expect(error?.message).toBe('script:3: in.xlsx: has no sheet "Three"; it has "One", "Two"')
  })

  it('refuses two columns of one name', async () => {
    const sheets = { S: '<row><c t="str"><v>a</v></c><c t="str"><v>a</v></c></row>' }
    const { error } = await read(makeXlsx({ sheets }))
    expect(error?.message).toBe(
      'script:3: in.xlsx: two columns are named "a"; read it with header = false',
    )
  })

  it('reads files up to a limit', async () => {
    const file = makeXlsx({ sheets: { S: '' } })
    const { error } = await read(file, { limits: { parseBytes: 500 } })
    expect(error?.message).toBe(
      `script:3: in.xlsx: XLSX files of up to 500 bytes are read, and this has ${file.length}`,
    )
  })

  it.each([
    ['nothing', new Uint8Array(), 'in.xlsx: is damaged or cut off'],
    ['another archive', zipOf({ 'a.txt': 'x' }), 'is not an XLSX file'],
    [
      'a text that is missing',
      makeXlsx({ sheets: { S: '<row r="4"><c t="s"><v>9</v></c></row>' } }),
      'sheet "S", row 4: refers to a missing text',
    ],
    [
      'a column beyond the last',
      makeXlsx({ sheets: { S: '<row r="4"><c r="ZZZZ4"><v>9</v></c></row>' } }),
      'sheet "S", row 4: has no column ZZZZ4',
    ],
    [
      'a tag that never ends',
      makeXlsx({ sheets: { S: `<row r="${'1'.repeat(1_100_000)}` } }),
      'the tag at character',
    ],
  ])('says what is wrong with %s', async (_, file, message) => {
    const { error } = await read(file, { args: LISTS })
    expect(error?.message).toContain(message)
    expect(error?.message).toContain('in.xlsx')
  })
})
