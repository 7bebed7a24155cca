/** Folder pages: sorted, with previews of pictures, and all files as one ZIP. */
import { unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { addressOf, appWithFiles, PERSON, textIn } from '../support/linked-files.ts'
import { refusalOf } from '../support/call-route.ts'
import { runtimeStorage } from '../support/make-app.ts'

const FILES = { 'out/a.txt': 'aaa', 'out/b.png': 'b', 'out/c.csv': 'cc', 'out/sub/d.txt': 'd' }

const namesIn = (html: string) =>
  [...html.matchAll(/<th scope="row"[^]*?<bdi>([^<]*)<\/bdi>/g)].map(([, name]) => name)

describe('a folder page', () => {
  it.each([
    ['', ['sub', 'a.txt', 'b.png', 'c.csv'], 'name', 'ascending'],
    ['&sort=name&order=desc', ['sub', 'c.csv', 'b.png', 'a.txt'], 'name', 'descending'],
    ['&sort=size', ['sub', 'b.png', 'c.csv', 'a.txt'], 'size', 'ascending'],
    ['&sort=size&order=desc', ['sub', 'a.txt', 'c.csv', 'b.png'], 'size', 'descending'],
    ['&sort=other&order=desc', ['sub', 'a.txt', 'b.png', 'c.csv'], 'name', 'ascending'],
  ])('is sorted by its address: %j', async (query, names, column, order) => {
    const made = await appWithFiles(FILES)
    const html = await (await made.open('out/', query)).text()
    expect(namesIn(html)).toEqual(names)
    expect(html.match(/class="(\w+)" aria-sort="(\w+)"/)?.slice(1)).toEqual([column, order])
  })

  it('has a link to each order, and back', async () => {
    const made = await appWithFiles(FILES)
    // A link made a second later is another.
    const link = await made.linkTo('out/')
    const textAt = async (address: string) =>
      (await made.app.request(address, { headers: PERSON })).text()
    const bySize = addressOf(await textAt(link), 'Size')!
    const html = await textAt(bySize)
    expect(namesIn(html)).toEqual(['sub', 'b.png', 'c.csv', 'a.txt'])
    expect(addressOf(html, 'Size')).toBe(`${bySize}&order=desc`)
    expect(addressOf(html, 'Name')).toBe(link)
  })

  it('shows pictures, and allows them only then', async () => {
    const made = await appWithFiles({ ...FILES, 'none/a.txt': '', 'none/big.png': 'x'.repeat(3e6) })
    const response = await made.open('out/')
    const html = await response.text()
    expect(html.match(/<img [^>]*>/g)).toHaveLength(1)
    expect(response.headers.get('Content-Security-Policy')).toMatch(/; img-src 'self'$/)
    const src = textIn(/<img src="([^"]*)"/.exec(html)![1]!)
    const picture = await made.app.request(`/files/out${src}`, { headers: { Accept: 'image/*' } })
    expect(await picture.text()).toBe('b')
    const other = await made.open('none/')
    expect(await other.text()).not.toContain('<img')
    expect(other.headers.get('Content-Security-Policy')).not.toContain('img-src')
  })
})

async function unzipped(response: Response): Promise<Record<string, string>> {
  const files = Object.entries(unzipSync(await response.bytes()))
  return Object.fromEntries(files.map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]))
}

describe('a folder as ZIP', () => {
  it('has all files below it, under their names in it', async () => {
    const large = 'x'.repeat(300_000)
    const made = await appWithFiles({ ...FILES, 'out/été/日本.txt': large, 'other.txt': 'no' })
    const page = await (await made.open('out/')).text()
    const response = await made.app.request(addressOf(page, 'Download all as ZIP')!, {
      headers: PERSON,
    })
    expect(response.headers.get('Content-Type')).toBe('application/zip')
    expect(response.headers.get('Content-Disposition')).toContain('filename="out.zip"')
    expect(await unzipped(response)).toEqual({
      'a.txt': 'aaa',
      'b.png': 'b',
      'c.csv': 'cc',
      'sub/d.txt': 'd',
      'été/日本.txt': large,
    })
  })

  it('of the root includes the shared folder', async () => {
    const made = await appWithFiles({ 'a.txt': 'a', 'share/b.txt': 'b' })
    const response = await made.open('', '&zip=1', {})
    expect(response.headers.get('Content-Disposition')).toContain('filename="files.zip"')
    expect(await unzipped(response)).toEqual({ 'a.txt': 'a', 'share/b.txt': 'b' })
  })

  it('leaves out what is removed meanwhile, and says so in its last entry', async () => {
    const storage = await runtimeStorage()
    const getStream: StorageDriver['getStream'] = async (key, ...rest) =>
      key.endsWith('2.txt') ? null : storage.getStream(key, ...rest)
    const texts = {
      'out/1.txt': 'x'.repeat(300_000),
      'out/2.txt': 'y'.repeat(300_000),
      'out/3.txt': 'z',
      'out/missing-files.txt': 'taken',
    }
    const made = await appWithFiles(texts, { storage: { ...storage, getStream } })
    const files = await unzipped(await made.open('out/', '&zip=1'))
    expect(Object.keys(files)).toEqual([
      '1.txt',
      '3.txt',
      'missing-files.txt',
      '_missing-files.txt',
    ])
    expect(files['_missing-files.txt']).toBe(
      'These files were removed while the archive was made:\n2.txt\n',
    )
  })

  it('breaks off when the store fails: no part passes for the whole', async () => {
    const storage = await runtimeStorage()
    const get: StorageDriver['get'] = (key, ...rest) =>
      key.endsWith('c.csv') ? Promise.reject(new Error('down')) : storage.get(key, ...rest)
    const made = await appWithFiles(FILES, { storage: { ...storage, get } })
    const response = await made.open('out/', '&zip=1')
    expect(response.status).toBe(200)
    await expect(response.bytes()).rejects.toThrow()
  })

  it.each([
    [{ files: 3, bytes: 1e9 }, 'at most 3 files and 1,000 MB.'],
    [{ files: 100, bytes: 6 }, 'at most 100 files and 0 MB.'],
  ])('above %j is refused before it starts', async (zipLimits, reason) => {
    const made = await appWithFiles(FILES)
    const app = createApp({ service: { ...made.service, zipLimits } })
    const address = `${await made.linkTo('out/')}&zip=1`
    expect(await refusalOf(await app.request(address))).toBe(
      `413 too_large: This folder is too large for one ZIP, which takes ${reason} Download its parts instead.`,
    )
    const page = await app.request(address, { headers: PERSON })
    expect([page.status, await page.text()]).toEqual([413, expect.stringContaining(reason)])
  })

  it('too large by what its page lists is not offered', async () => {
    const made = await appWithFiles(FILES)
    const zipLimits = { files: 10, bytes: 5 }
    const app = createApp({ service: { ...made.service, zipLimits } })
    const html = await (await app.request(await made.linkTo('out/'), { headers: PERSON })).text()
    expect(addressOf(html, 'Download all as ZIP')).toBeUndefined()
    expect(html).toContain('This folder is too large for one ZIP')
  })

  it('that is empty is an archive, and a missing one is not', async () => {
    const made = await appWithFiles({})
    await made.inner.put(`${made.keyOf('empty')}/`, new Uint8Array())
    expect(await unzipped(await made.open('empty/', '&zip=1'))).toEqual({})
    expect((await made.open('none/', '&zip=1')).status).toBe(404)
  })

  it('is not read for HEAD', async () => {
    const made = await appWithFiles(FILES)
    const init = { method: 'HEAD' }
    const response = await made.app.request(`${await made.linkTo('out/')}&zip=1`, init)
    expect([response.status, response.headers.get('Content-Type'), made.reads]).toEqual([
      200,
      'application/zip',
      [],
    ])
  })

  it('needs the link of the folder', async () => {
    const made = await appWithFiles(FILES)
    const file = new URL(await made.linkTo('out/a.txt'))
    file.searchParams.set('path', 'out/')
    expect((await made.app.request(`${file.href}&zip=1`)).status).toBe(403)
  })
})
