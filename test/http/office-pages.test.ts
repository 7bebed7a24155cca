/** Pages of workbooks and Parquet files, as scripts write them. */
import { expect, it } from 'vitest'
import { addressOf, appWithFiles, notesIn, PERSON, tableIn } from '../support/linked-files.ts'

async function written(script: string) {
  const made = await appWithFiles({})
  const { error } = await made.run(script)
  expect(error).toBeUndefined()
  const open = async (address: string) =>
    (await made.app.request(address, { headers: PERSON })).text()
  return { ...made, read: open }
}

const ROWS = `local rows = {}
for i = 1, 450 do rows[i] = {n = i, name = "Person " .. i, paid = i % 2 == 0} end\n`

it.each([
  ['a.xlsx', `${ROWS} xlsx.write("a.xlsx", {People = rows})`],
  ['a.parquet', `${ROWS} parquet.write("a.parquet", rows)`],
])('%s is a table of 200 rows a page', async (path, script) => {
  const made = await written(script)
  const html = await made.read(await made.linkTo(path))
  const { head, rows } = tableIn(html)
  expect(head.toSorted()).toEqual(['Row', 'n:integer', 'name:text', 'paid:true or false'])
  expect(rows.length).toBe(200)
  const next = await made.read(addressOf(html, 'Next page')!)
  expect(tableIn(next).rows[0]).toEqual(expect.arrayContaining(['201', 'Person 201', 'false']))
  const last = await made.read(addressOf(next, 'Next page')!)
  expect(tableIn(last).rows.length).toBe(50)
  expect(addressOf(last, 'Next page')).toBeUndefined()
  expect(addressOf(last, 'Previous page')).toContain('&row=201')
})

it('a workbook shows its first sheet, and says so', async () => {
  const made = await written('xlsx.write("a.xlsx", {B = {{x = 1}}, A = {{y = "<b>"}}})')
  const html = await made.read(await made.linkTo('a.xlsx'))
  expect(notesIn(html)).toEqual([
    expect.stringMatching(/^Sheet “[AB]” is shown, the first of 2\.$/),
  ])
})

it.each(['a.xlsx', 'a.parquet'])('%s that is none shows its facts', async (path) => {
  const made = await appWithFiles({ [path]: 'no archive' })
  expect(await (await made.open(path)).text()).toContain('Files of this kind are not shown here.')
})
