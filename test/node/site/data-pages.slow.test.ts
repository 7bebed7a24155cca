/** Pages of data and of files in a real browser, and archives checked by Python. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { tempFolder } from '../../support/temp-folder.ts'
import { looks } from './look-at.ts'
import { DESKTOP, startPages } from './start-pages.ts'

const execute = promisify(execFile)
const pages = await startPages()
const lookAt = looks(pages)

const tenant = 'data pages'
/** A picture of one pixel, whose bytes are all ASCII. */
const GIF = 'GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;'
const CSV = `id,name,city,amount,paid,day\n${Array.from(
  { length: 20_000 },
  (_, i) =>
    `${i + 1},"Person ${i + 1}",Zürich,${i * 1.5},${i % 2 === 0},2026-11-${10 + (i % 20)}\n`,
).join('')}`
const LINES = Array.from({ length: 30 }, (_, i) => `{"n":${i},"tags":["a","b"]}\n`).join('')

/** What Python says of an archive: its first bad file, and its names. */
async function pythonOn(path: string): Promise<[string | null, string[]]> {
  const code =
    'import sys,json,zipfile; z=zipfile.ZipFile(sys.argv[1]); print(json.dumps([z.testzip(), z.namelist()]))'
  const { stdout } = await execute('python3', ['-c', code, path], { maxBuffer: 1e7 })
  return JSON.parse(stdout) as [string | null, string[]]
}

beforeAll(async () => {
  const report = 'local rows = {}\nfor i = 1, 10 do rows[i] = i end\nreturn rows\n'
  await pages.store(tenant, {
    'out/orders.csv': CSV,
    'out/short.csv': CSV.split('\n').slice(0, 25).join('\n'),
    'out/events.jsonl': LINES,
    'out/rows.json': JSON.stringify([{ a: 1, b: null }]),
    'out/dot.gif': GIF,
    'out/report.lua': report,
    'out/data.bin': 'x',
  })
})

describe('a data page', () => {
  const link = () => pages.linkTo(tenant, 'out/orders.csv')

  // Few rows: axe takes a second for a hundred cells.
  it.each([
    ['at the start', 'data', ''],
    ['within the file, after a search', 'data-middle', '&percent=50&q=person+10%30'],
  ])('%s suits everybody, in light and dark, on desktop and phone', async (_, name, place) => {
    const path = place === '' ? 'out/short.csv' : 'out/orders.csv'
    expect(await lookAt(name, (await pages.linkTo(tenant, path)) + place)).toEqual([])
  })

  it('leads through the file without scripts', async () => {
    const page = await pages.open(await link(), { ...DESKTOP, javaScriptEnabled: false })
    const firstCell = page.locator('tbody tr').first().locator('td').first()
    expect(await firstCell.textContent()).toBe('1')
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.getByText('Rows 201 to 400').waitFor()
    await page.getByRole('link', { name: '50 %' }).click()
    await page.getByText('200 rows from about 50 %').waitFor()
    await page.getByLabel('Go to %').fill('75')
    await page.getByRole('button', { name: 'Go', exact: true }).click()
    await page.getByText('200 rows from about 75 %').waitFor()
    await page.getByRole('link', { name: 'Last page' }).click()
    expect(await page.locator('tbody tr').last().locator('td').first().textContent()).toBe('20000')
    await page.getByLabel('Search this page').fill('person 19999')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('1 row of 200 on this page').waitFor()
    expect(await page.locator('mark').allTextContents()).toEqual(['Person 19999'])
  })

  it('is used by the keyboard alone', async () => {
    const page = await pages.open(await link())
    const focused = () =>
      page.evaluate('document.activeElement.name || document.activeElement.textContent.trim()')
    const seen: unknown[] = []
    for (let i = 0; i < 3; i++) {
      await page.keyboard.press('Tab')
      seen.push(await focused())
    }
    expect(seen).toEqual(['As text', 'Download', 'q'])
    await page.keyboard.type('Person 77')
    await page.keyboard.press('Enter')
    await page.getByText('1 row of 200 on this page').waitFor()
  })

  it('names its columns and rows to those who cannot see them', async () => {
    const page = await pages.open(await link())
    const table = page.getByRole('table', { name: 'Rows of orders.csv' })
    expect(await table.getByRole('columnheader').count()).toBe(7)
    expect(await table.getByRole('rowheader', { name: '200', exact: true }).count()).toBe(1)
  })
})

it.each(['events.jsonl', 'rows.json', 'dot.gif', 'report.lua', 'data.bin'])(
  'the page of %s suits everybody',
  async (name) => {
    expect(await lookAt(name, await pages.linkTo(tenant, `out/${name}`))).toEqual([])
  },
)

it('a picture is shown on its page, and in its folder', async () => {
  for (const path of ['out/dot.gif', 'out']) {
    const page = await pages.open(await pages.linkTo(tenant, path))
    const width = () =>
      page.locator('img').evaluate((image) => (image as { naturalWidth?: number }).naturalWidth)
    await expect.poll(width).toBe(1)
  }
})

it('a folder is downloaded as one archive that Python finds whole', async () => {
  const page = await pages.open(await pages.linkTo(tenant, 'out'))
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download all as ZIP' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('out.zip')
  expect(await pythonOn(await download.path())).toEqual([
    null,
    ['data.bin', 'dot.gif', 'events.jsonl', 'orders.csv', 'report.lua', 'rows.json', 'short.csv'],
  ])
})

it('1,000 files are one archive that Python finds whole', async () => {
  const script =
    'for i = 1, 1000 do io.open(("many/%04d é.txt"):format(i), "w"):write(("x"):rep(i)):close() end'
  await pages.post(tenant, 'execute', { script })
  const response = await fetch(`${await pages.linkTo(tenant, 'many')}&zip=1`)
  const path = join(tempFolder(), 'many.zip')
  writeFileSync(path, await response.bytes())
  const [bad, names] = await pythonOn(path)
  expect([bad, names.length, names[999]]).toEqual([null, 1000, '1000 é.txt'])
})
