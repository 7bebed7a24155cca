/** The words of PDF files made by LibreOffice and by Chromium, beside those of pdftotext. */
import { afterAll, describe, expect, it } from 'vitest'
import { sharedBrowser } from '../node/start-browser.ts'
import { openOffice, runWith, shareFound, wordsOf } from './office.ts'

const MIN_SHARE = 0.98

const words = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => `word${((from + i) * 7919) % 1009}`).join(' ')

const style = (css: string, body: string) =>
  `<html><head><meta charset="utf-8"><style>${css}</style></head><body>${body}</body></html>`

const PAGES: Readonly<Record<string, string>> = {
  prose: `<h1>Report</h1>${[1, 2, 3, 4].map((i) => `<h2>Part ${i}</h2><p>${words(i * 100, 200)}</p>`).join('')}`,
  table: `<table>${Array.from({ length: 60 }, (_, i) => `<tr><td>${i}</td><td>${words(i, 3)}</td><td>${i * 1.5}</td></tr>`).join('')}</table>`,
  languages: `<p>Grüße, naïve façade, señor, Łódź, Ελληνικά γράμματα, русский текст, Tiếng Việt.</p><p>${words(5, 50)}</p>`,
  columns: style(
    'div { column-count: 2 }',
    `<div><p>${words(1, 300)}</p><p>${words(9, 300)}</p></div>`,
  ),
  lists: `<ul>${Array.from({ length: 40 }, (_, i) => `<li>item ${i}: ${words(i, 6)}<ol><li>${words(i, 2)}</li></ol></li>`).join('')}</ul>`,
}

const office = openOffice()
const browser = await sharedBrowser()
afterAll(() => office.close())

async function share(name: string): Promise<number> {
  const { result } = await runWith('return document.text("a.pdf")', ['a.pdf', office.get(name)])
  const ours = wordsOf((result as string).replaceAll(/<!-- page \d+ -->/g, ''))
  const theirs = office.pdfWords(name)
  expect(theirs.length).toBeGreaterThan(20)
  const found = shareFound(theirs, ours)
  console.info(`${name}: ${theirs.length} words, ${(100 * found).toFixed(1)} % found`)
  return found
}

describe.each(Object.entries(PAGES))('%s', (name, html) => {
  it('from LibreOffice', async () => {
    office.put(`office-${name}.html`, html.startsWith('<html') ? html : style('', html))
    office.convert(`office-${name}.html`, 'pdf:writer_web_pdf_Export', 'HTML (StarWriter)')
    expect(await share(`office-${name}.pdf`)).toBeGreaterThanOrEqual(MIN_SHARE)
  })

  it('from Chromium', async () => {
    const page = await browser.newPage()
    await page.setContent(html.startsWith('<html') ? html : style('', html))
    office.put(`chromium-${name}.pdf`, await page.pdf({ format: 'A4' }))
    await page.close()
    expect(await share(`chromium-${name}.pdf`)).toBeGreaterThanOrEqual(MIN_SHARE)
  })
})
