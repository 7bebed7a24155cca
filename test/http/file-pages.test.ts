/** Pages of single files: what shows itself, and what only its facts. */
import { describe, expect, it } from 'vitest'
import { addressOf, appWithFiles, PERSON } from '../support/linked-files.ts'

const STRICTEST =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

describe('a person sees', () => {
  it.each([
    ['a.png', /<img src="\?path=a.png&#38;token=[^"]*&#38;raw=1" alt="a.png">/, "; img-src 'self'"],
    ['a.mp3', /<audio controls preload="metadata" src="[^"]*&#38;raw=1">/, "; media-src 'self'"],
    ['a.mp4', /<video controls preload="metadata" src="[^"]*&#38;raw=1">/, "; media-src 'self'"],
    ['a.txt', /<pre tabindex="0" aria-label="Text">\n&#60;b&#62;<\/pre>/, ''],
    ['a.lua', /<pre /, ''],
    ['a.yaml', /<pre /, ''],
    ['a.zip', /Files of this kind are not shown here/, ''],
    ['a.tiff', /Files of this kind are not shown here/, ''],
    ['noextension', /Files of this kind are not shown here/, ''],
  ])('%s on a page with its facts and a download', async (path, content, allowed) => {
    const made = await appWithFiles({ [path]: '<b>' })
    const response = await made.open(path)
    const html = await response.text()
    expect(html).toMatch(content)
    expect(html).toContain('<data value="3">3 bytes</data>')
    expect(response.headers.get('Content-Security-Policy')).toBe(STRICTEST + allowed)
    const download = await made.app.request(addressOf(html, 'Download')!, { headers: PERSON })
    expect(download.headers.get('Content-Disposition')).toMatch(/^attachment/)
    expect(await download.text()).toBe('<b>')
  })

  it.each([
    ['a.pdf', 'application/pdf'],
    ['a.html', 'text/html; charset=utf-8'],
    ['a.svg', 'image/svg+xml'],
  ])('%s itself', async (path, type) => {
    const made = await appWithFiles({ [path]: '<b>' })
    const response = await made.open(path)
    expect([response.headers.get('Content-Type'), await response.text()]).toEqual([type, '<b>'])
  })

  it('a picture in the page by the same link', async () => {
    const made = await appWithFiles({ 'a.png': 'bytes' })
    const html = await (await made.open('a.png')).text()
    const src = /<img src="([^"]*)"/.exec(html)![1]!.replaceAll('&#38;', '&')
    const picture = await made.app.request(`/files/out${src}`, { headers: { Accept: 'image/*' } })
    expect([picture.headers.get('Content-Type'), await picture.text()]).toEqual([
      'image/png',
      'bytes',
    ])
  })
})

describe('long text', () => {
  it('is shown by pages of whole lines', async () => {
    const line = `${'é'.repeat(500)}\n`
    const made = await appWithFiles({ 'a.log': line.repeat(600) })
    let address: string | undefined = await made.linkTo('a.log')
    let all = ''
    while (address !== undefined) {
      const html = await (await made.app.request(address, { headers: PERSON })).text()
      const text = /<pre [^>]*>\n([^]*)<\/pre>/.exec(html)![1]!
      expect(text.endsWith('\n')).toBe(true)
      all += text
      address = addressOf(html, 'Next page')
    }
    expect(all).toBe(line.repeat(600))
  })

  it('of one line is cut between characters', async () => {
    const made = await appWithFiles({ 'a.txt': `x${'é'.repeat(200_000)}` })
    const html = await (await made.open('a.txt')).text()
    expect(html).not.toContain('Latin-1')
    const next = await (
      await made.app.request(addressOf(html, 'Next page')!, { headers: PERSON })
    ).text()
    expect(next).not.toMatch(/Latin-1|\ufffd/)
  })

  it('in UTF-16 has its facts only', async () => {
    const made = await appWithFiles({ 'a.csv': Uint8Array.of(0xff, 0xfe, 65, 0) })
    expect(await (await made.open('a.csv')).text()).toContain('text/csv in UTF-16')
  })
})
