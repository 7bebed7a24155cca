/** Links opened in a real browser, closely: by everybody, at every size, in both schemes. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { startCanary } from '../canary.ts'
import { looks } from './look-at.ts'
import { FILES, LISTED, REPORT } from './sample-files.ts'
import { DESKTOP, shoot, startPages } from './start-pages.ts'

const pages = await startPages()
const canary = await startCanary()
const lookAt = looks(pages)
afterAll(() => canary.stop())

describe('a folder page', () => {
  const tenant = 'folders'
  let link: string

  beforeAll(async () => {
    await pages.store(tenant, FILES)
    link = await pages.linkTo(tenant, 'output')
  })

  it('saves a file under its own name', async () => {
    const page = await pages.open(link)
    const row = page.getByRole('row', { name: 'été 日本.csv' })
    const downloading = page.waitForEvent('download')
    await row.getByRole('link', { name: 'Download' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('été 日本.csv')
    expect(readFileSync(await download.path(), 'utf8')).toBe('a,b\n1,2\n')
  })

  it('is used by the keyboard alone', async () => {
    const page = await pages.open(link)
    // Past "Download all" and the three columns.
    for (let i = 0; i < 5; i++) await page.keyboard.press('Tab')
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
    expect(outline).toBe('solid')
    await page.keyboard.press('Enter')
    await page.waitForURL(/2026/)
    expect(await page.locator('h1').textContent()).toBe('2026')
  })

  it('is whole without scripts', async () => {
    const page = await pages.open(link, { ...DESKTOP, javaScriptEnabled: false })
    expect(await page.locator('tbody tr').count()).toBe(LISTED.length)
  })

  it('suits everybody, in light and dark, on desktop and phone', async () => {
    expect(await lookAt('folder', link)).toEqual([])
  })
})

describe('a report', () => {
  const tenant = 'reports'

  it('in Markdown suits everybody', async () => {
    const { link } = await pages.post(tenant, 'reports', { title: 'Sales & more', content: REPORT })
    expect(await lookAt('markdown', link)).toEqual([])
  })

  it('in HTML is shown in a page of its own', async () => {
    const content = '<p>All <b>good</b>.</p><table><tr><th>a</th><td>1</td></tr></table>'
    const { link } = await pages.post(tenant, 'reports', {
      title: 'Totals <3',
      content,
      format: 'html',
    })
    const page = await pages.open(link)
    expect([await page.title(), await page.locator('h1').textContent()]).toEqual([
      'Totals <3',
      'Totals <3',
    ])
    await shoot(page, 'html-report-desktop-light.png')
  })
})

it('a link that does not open says so on a page that suits everybody', async () => {
  const link = await pages.linkTo('folders', 'output')
  expect(await lookAt('error', link.replace('output', 'other'))).toEqual([])
})

it('an upload link takes a large file from a page of another origin, and nothing beyond its limit', async () => {
  const tenant = 'uploads'
  const { url } = await pages.post(tenant, 'links/upload', {
    path: 'in.bin',
    max_bytes: 20_000_000,
  })
  canary.serve('/upload.html', 'text/html', '<title>upload</title>')
  const page = await pages.open(`${canary.origin}/upload.html`)
  const send = (bytes: number) =>
    page.evaluate(
      async ([address, count]) => {
        const body = new Blob([new Uint8Array(count as number).fill(97)])
        const response = await fetch(address as string, { method: 'PUT', body })
        return [response.status, await response.json()] as [number, object]
      },
      [url, bytes] as const,
    )
  expect((await send(20_000_001))[0]).toBe(413)
  expect(await send(20_000_000)).toEqual([201, { path: 'in.bin', bytes: 20_000_000 }])
  const stored = await (await fetchAnew(await pages.linkTo(tenant, 'in.bin'))).bytes()
  expect([stored.length, stored.every((byte) => byte === 97)]).toEqual([20_000_000, true])
  expect((await send(1))[0]).toBe(409)
})
