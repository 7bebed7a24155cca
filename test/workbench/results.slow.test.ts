/** Results as a person reads them: tables of any length, and trees. */
import { afterAll, describe, expect, it } from 'vitest'
import { sharedBrowser } from '../node/start-browser.ts'
import { hasFocus, tabTo, visit, type Visit } from './open-page.ts'
import { startWorkbench } from './start-workbench.ts'

const workbench = await startWorkbench({ limits: { resultBytes: 4_000_000 } })
const browser = await sharedBrowser()
afterAll(() => workbench.stop())

/** After the run of a script. */
async function resultOf(script: string): Promise<Visit> {
  const made = await visit(browser, workbench, { token: await workbench.tokenOf() })
  await made.runToEnd(script)
  return made
}

const rowsOf = (count: number) =>
  `local rows = {} for i = 1, ${count} do rows[i] = {id = i, name = "n" .. (i * 7 % 10)} end return rows`

const table = ({ page }: Visit) => page.locator('.output').getByRole('table')
const column = async (made: Visit, n: number, count: number) =>
  (await table(made).locator(`tbody tr td:nth-child(${n})`).allTextContents()).slice(0, count)
const header = (made: Visit, name: string) => table(made).getByRole('button', { name, exact: true })
const clipboard = ({ page }: Visit) => page.evaluate('navigator.clipboard.readText()')

describe('a list of objects', () => {
  it('is a table, sorted by its columns and back', async () => {
    const made = await resultOf(
      'return {{n = 10, t = "b"}, {n = 9, t = "a"}, {t = "c"}, {n = 100, t = "B"}}',
    )
    expect(await table(made).locator('thead th').allTextContents()).toEqual(['n', 't'])
    const place = (await table(made).locator('thead th').allTextContents()).indexOf('n') + 1
    const sorting = table(made)
      .locator('thead th')
      .nth(place - 1)
    await header(made, 'n').click()
    expect(await column(made, place, 4)).toEqual(['9', '10', '100', ''])
    expect(await sorting.getAttribute('aria-sort')).toBe('ascending')
    await header(made, 'n').click()
    expect(await column(made, place, 4)).toEqual(['100', '10', '9', ''])
    expect(await sorting.getAttribute('aria-sort')).toBe('descending')
    await header(made, 'n').click()
    expect(await column(made, place, 4)).toEqual(['10', '9', '', '100'])
    expect(await sorting.getAttribute('aria-sort')).toBe(null)
  })

  it('shows 500 rows at once, of which the page holds those in view', async () => {
    const made = await resultOf(rowsOf(500))
    await made.page.locator('.output').getByText('500 rows').waitFor()
    expect(await made.page.locator('.output').getByText('500 items').count()).toBe(0)
    expect(await column(made, 1, 3)).toEqual(['1', '2', '3'])
  })

  it('stays small with 10,000 rows, and scrolls to the last', async () => {
    const made = await resultOf(rowsOf(10_000))
    const rows = table(made).locator('tbody tr')
    expect(await table(made).getAttribute('aria-rowcount')).toBe('10001')
    expect(await rows.count()).toBeLessThan(100)
    const scroller = made.page.locator('.table-scroll')
    await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight))
    await table(made).getByRole('cell', { name: '10000', exact: true }).waitFor()
    expect(await rows.count()).toBeLessThan(100)
    expect(await rows.last().getAttribute('aria-rowindex')).toBe('10001')
    const bottoms = await rows.last().evaluate((row) => {
      const frame = row.closest('.table-scroll')!.getBoundingClientRect()
      return row.getBoundingClientRect().bottom - frame.bottom
    })
    // Under the border.
    expect(Math.abs(bottoms)).toBeLessThan(3)
    await header(made, 'id').click()
    await header(made, 'id').click()
    expect(await column(made, 1, 2)).toEqual(['10000', '9999'])
  })

  it('shows the columns that are chosen, and copies them as CSV', async () => {
    const made = await resultOf('return {{a = "x, \\"y\\"", b = 2, c = {1}}, {a = "z", b = 1}}')
    await made.page.getByText('Columns', { exact: true }).click()
    await made.page.getByLabel('c', { exact: true }).uncheck()
    expect((await table(made).locator('thead th').allTextContents()).sort()).toEqual(['a', 'b'])
    await header(made, 'b').click()
    await made.page.getByRole('button', { name: 'Copy as CSV' }).click()
    await made.page.getByText('Copied').waitFor()
    expect(await clipboard(made)).toMatch(
      /^(?:a,b\r\nz,1\r\n"x, ""y""",2|b,a\r\n1,z\r\n2,"x, ""y""")\r\n$/,
    )
    await made.page.getByLabel('a', { exact: true }).uncheck()
    expect(await made.page.getByLabel('b', { exact: true }).isDisabled()).toBe(true)
  })

  it('opens nested values and long texts below their row', async () => {
    const made = await resultOf(
      'return {{id = 1, deep = {x = {y = "down here"}}, text = ("long "):rep(50)}, {id = 2}}',
    )
    await table(made).getByRole('button', { name: '1 field' }).click()
    const detail = made.page.locator('.table-detail')
    expect(await detail.textContent()).toContain('"down here"')
    await table(made).getByRole('button', { name: /^long/ }).click()
    expect(await detail.textContent()).toBe('long '.repeat(50))
    const opener = table(made).getByRole('button', { name: /^long/ })
    expect(await hasFocus(opener)).toBe(true)
    await opener.click()
    expect(await detail.count()).toBe(0)
  })

  it('is shown as JSON on request, and back', async () => {
    const made = await resultOf('return {{a = 1}, {a = 2}}')
    await made.page.getByRole('button', { name: 'Show as JSON' }).click()
    expect(await made.page.locator('.output .tree').textContent()).toBe(
      '2 items0: 1 fielda: 11: 1 fielda: 2',
    )
    const back = made.page.getByRole('button', { name: 'Show as table' })
    expect(await hasFocus(back)).toBe(true)
    await back.click()
    expect(await hasFocus(made.page.getByRole('button', { name: 'Show as JSON' }))).toBe(true)
    expect(await table(made).count()).toBe(1)
  })

  it('is a table inside another value, too', async () => {
    const made = await resultOf('return {total = 2, rows = {{a = 1}, {a = 2}}}')
    expect(await made.page.locator('.output .tree').textContent()).toContain('total: 2')
    expect(await column(made, 1, 2)).toEqual(['1', '2'])
  })

  it('is sorted, chosen from, opened and copied by keyboard', async () => {
    const made = await resultOf('return {{a = 2, d = {1}}, {a = 1, d = {2}}}')
    const { page } = made
    await tabTo(page, page.locator('.column-choice summary'))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByLabel('d', { exact: true }))
    await page.keyboard.press('Space')
    await page.keyboard.press('Space')
    await tabTo(page, page.getByRole('button', { name: 'Copy as CSV' }))
    await page.keyboard.press('Enter')
    await page.getByText('Copied').waitFor()
    await tabTo(page, header(made, 'a'))
    await page.keyboard.press('Enter')
    expect(await hasFocus(header(made, 'a'))).toBe(true)
    await tabTo(page, table(made).getByRole('button', { name: '1 item' }))
    await page.keyboard.press('Enter')
    await page.locator('.table-detail').getByText('0: 2').waitFor()
  })

  it('keeps the page from what objects inherit', async () => {
    const made = await resultOf('return {{constructor = 1}, {other = 2}}')
    expect((await table(made).locator('td').allTextContents()).sort()).toEqual(['', '', '1', '2'])
  })
})

describe('other values', () => {
  it('a long list of texts shows its beginning', async () => {
    const made = await resultOf('local t = {} for i = 1, 500 do t[i] = "line " .. i end return t')
    expect(await made.page.locator('.tree .leaf').count()).toBe(100)
    await made.page.getByRole('button', { name: 'Show 100 of 400 more' }).click()
    expect(await made.page.locator('.tree .leaf').count()).toBe(200)
    expect(await hasFocus(made.page.getByRole('button', { name: 'Show 100 of 300 more' }))).toBe(
      true,
    )
  })

  it('many long lists do not all open by themselves', async () => {
    const made = await resultOf(
      'local t = {} for i = 1, 90 do t[i] = {} for j = 1, 90 do t[i][j] = j end end return t',
    )
    expect(await made.page.locator('.tree details').count()).toBe(91)
    expect(await made.page.locator('.tree .leaf').count()).toBeLessThan(600)
  })
})

it('a result in a file is a table there', async () => {
  const small = await startWorkbench()
  try {
    const made = await visit(browser, small, { token: await small.tokenOf() })
    await made.runToEnd(rowsOf(20_000))
    await made.page.locator('.outcome .file-name').click()
    const dialog = made.page.getByRole('dialog')
    await dialog.getByText('20,000 rows').waitFor()
    expect(await dialog.locator('tbody tr').count()).toBeLessThan(100)
  } finally {
    await small.stop()
  }
})
