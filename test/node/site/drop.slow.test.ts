/** Pages of upload links in a real browser: on a phone, by the keyboard, over a bad connection. */
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SITE_FOLDER } from '../../../infra/build/site/build.ts'
import { createApp } from '../../../src/app.ts'
import { folderSite } from '../../../src/entry/node/folder-site.ts'
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { startFaultProxy, type Fault, type Plan } from '../../support/fault-proxy.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { makeApp, ORIGIN } from '../../support/make-app.ts'
import { dropLinkFor } from '../../support/upload-link.ts'
import { axeFaults, widthFaults } from './axe-faults.ts'
import { serveOnLoopback } from './serve-app.ts'
import { DESKTOP, shoot, startPages } from './start-pages.ts'

const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
}
const SCHEMES = ['light', 'dark'] as const

const pages = await startPages()

async function linkTo(tenant: string, terms: object = {}): Promise<string> {
  return (await pages.post(tenant, 'links/upload', { path: 'inbox/', ...terms })).url
}

const fileOf = (name: string, bytes: number) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.alloc(bytes, name.charCodeAt(0)),
})

/** What was stored under a path of the tenant, as its first letter and its length. */
async function storedAt(tenant: string, path: string): Promise<[string, number]> {
  const bytes = await (await fetchAnew(await pages.linkTo(tenant, path))).bytes()
  return [String.fromCharCode(bytes[0]!), bytes.length]
}

/** The same link over a connection with faults. */
async function overProxy(link: string, plan: Plan): Promise<string> {
  const proxy = await startFaultProxy(`${pages.origin}/`)
  onTestFinished(() => proxy.stop())
  proxy.follow(plan)
  return link.replace(`${pages.origin}/`, proxy.endpoint)
}

/** Everything that the list of files said. */
const WATCH = `{
  globalThis.said = []
  const watch = () => new MutationObserver(() => {
    for (const note of document.querySelectorAll('#files li p:last-of-type'))
      said.push(note.textContent)
  }).observe(document.querySelector('#files'), { childList: true, subtree: true })
  addEventListener('DOMContentLoaded', watch)
}`

async function faultsOf(page: Page): Promise<string[]> {
  // The page's policy would stop axe, too.
  const blank = await page.context().newPage()
  await blank.setContent((await page.content()).replaceAll(/<script.*?<\/script>/g, ''))
  return [...(await widthFaults(page)), ...(await axeFaults(blank))]
}

describe('on a phone', () => {
  it('three files arrive, with progress, though the connection breaks', async () => {
    const tenant = 'drop on a phone'
    // Each at the first try of that file.
    const faults = new Map<string, Fault>([
      ['a.bin', 'reset'],
      ['b.bin', 'lost answer'],
    ])
    const terms = { max_files: 3, max_bytes: 6_000_000 }
    const link = await overProxy(await linkTo(tenant, terms), ({ query }) => {
      const name = query.get('name') ?? ''
      const fault = faults.get(name)
      faults.delete(name)
      return fault
    })
    const context = await pages.browser.newContext(PHONE)
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.addInitScript(WATCH)
    await page.goto(link)
    const files = [
      fileOf('a.bin', 1_000_000),
      fileOf('b.bin', 2_000_000),
      fileOf('c.bin', 3_000_000),
    ]
    await page.getByLabel('Choose files').setInputFiles(files)
    await page.getByText('Done: 3 files sent.').waitFor({ timeout: 30_000 })
    const said = await page.evaluate<string[]>('said')
    expect(said).toContain('Connection lost. Trying again …')
    expect(said.filter((text) => text.startsWith('100 % of'))).not.toEqual([])
    expect(await page.locator('#files li').count()).toBe(3)
    await shoot(page, 'drop-done-phone-light.png', { fullPage: true })
    for (const { name, buffer } of files) {
      expect(await storedAt(tenant, `inbox/${name}`)).toEqual([name[0], buffer.length])
    }
    // A second try of a file that had arrived is no second file.
    const folder = await (await fetchAnew(await pages.linkTo(tenant, 'inbox'))).json()
    expect((folder as { entries: { name: string }[] }).entries.map(({ name }) => name)).toEqual(
      files.map(({ name }) => name),
    )
  })

  it.each(SCHEMES)('everybody can use it, in %s', async (colorScheme) => {
    const link = await linkTo(`drop in ${colorScheme}`, { max_files: 2 })
    for (const [size, options] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
      const page = await pages.open(link, { ...options, colorScheme })
      await shoot(page, `drop-${size}-${colorScheme}.png`, { fullPage: true })
      const before = await faultsOf(page)
      const names = ['one.txt', 'a long name '.repeat(12), 'three']
      await page.getByLabel('Choose files').setInputFiles(names.map((name) => fileOf(name, 9)))
      await page
        .getByRole('status')
        .getByText(/not sent/)
        .waitFor()
      await shoot(page, `drop-sent-${size}-${colorScheme}.png`, { fullPage: true })
      expect([...before, ...(await faultsOf(page))]).toEqual([])
    }
  })
})

describe('on a desktop', () => {
  it('the keyboard is enough', async () => {
    const tenant = 'drop by keyboard'
    const page = await pages.open(await linkTo(tenant))
    const choosing = page.waitForEvent('filechooser')
    await page.bringToFront()
    await page.keyboard.press('Tab')
    await page.locator('#file:focus').waitFor()
    await page.keyboard.press('Enter')
    await (await choosing).setFiles([fileOf('key.txt', 5), fileOf('board.txt', 5)])
    await page.getByText('Done: 2 files sent.').waitFor()
    expect(await storedAt(tenant, 'inbox/board.txt')).toEqual(['b', 5])
  })

  it('files can be dropped, and those that failed sent again', async () => {
    const tenant = 'drop by mouse'
    let isDown = true
    const link = await overProxy(await linkTo(tenant), ({ method }) =>
      method === 'PUT' && isDown ? 500 : undefined,
    )
    const page = await pages.open(link)
    const data = await page.evaluateHandle(
      "{ const data = new DataTransfer(); data.items.add(new File(['text'], 'd.txt')); data }",
    )
    await page.dispatchEvent('.zone', 'drop', { dataTransfer: data })
    await page.getByText('1 not sent.').waitFor()
    isDown = false
    await page.getByRole('button', { name: 'Try again: d.txt' }).click()
    await page.getByText('Done: 1 file sent.').waitFor()
    expect(await storedAt(tenant, 'inbox/d.txt')).toEqual(['t', 4])
  })

  it('a link for one file takes one, and says that it was used', async () => {
    const tenant = 'drop of one'
    const link = await linkTo(tenant, { path: 'one.bin', max_bytes: 10 })
    const page = await pages.open(link)
    await page.getByLabel('Choose a file').setInputFiles(fileOf('large', 11))
    await page.getByText('It is larger than this link accepts.').waitFor()
    await page.getByLabel('Choose a file').setInputFiles(fileOf('x', 10))
    await page.getByText('Done: 1 file sent.').waitFor()
    expect(await page.getByLabel('Choose a file').isVisible()).toBe(false)
    await page.reload()
    expect(await page.textContent('main')).toContain('This link has been used')
    expect(await storedAt(tenant, 'one.bin')).toEqual(['x', 10])
  })

  it('a form is enough', async () => {
    const tenant = 'drop without scripts'
    const link = await linkTo(tenant, { max_bytes: 20_000_000 })
    const page = await pages.open(link, { ...DESKTOP, javaScriptEnabled: false })
    await page
      .getByLabel('Choose files')
      .setInputFiles([fileOf('é "a".txt', 5), fileOf('z', 9_000_000)])
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { name: 'Sent' }).waitFor()
    expect(await page.locator('li bdi').allTextContents()).toEqual(['é "a".txt', 'z'])
    expect(await storedAt(tenant, 'inbox/z')).toEqual(['z', 9_000_000])
    await shoot(page, 'drop-form-desktop-light.png')
  })
})

describe('where the store takes the files itself', () => {
  it('they arrive there, one by one, though an answer of the store is lost', async () => {
    const { settings } = await sharedS3()
    const made = await makeApp({ storage: s3Storage(settings) })
    const service = { ...made.service, presignsUploads: true, maxFormBytes: 4_000_000 }
    const app = createApp({ service, site: folderSite(SITE_FOLDER) })
    const { origin, stop } = await serveOnLoopback(app.fetch)
    onTestFinished(() => stop().then(() => undefined))
    const link = await dropLinkFor(made, { max_files: 2, max_bytes: 14_000_000 })
    const context = await pages.browser.newContext(PHONE)
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const sent: string[] = []
    // The bucket's answers to browsers, which the local one does not give.
    await page.route(`${settings.endpoint}/**`, async (route) => {
      sent.push(route.request().method())
      const response = await route.fetch()
      if (sent.length === 1) return route.abort()
      return route.fulfill({ response, headers: { 'access-control-allow-origin': '*' } })
    })
    await page.goto(link.replace(ORIGIN, origin))
    const files = [fileOf('a.bin', 7_000_000), fileOf('b.bin', 6_000_000)]
    await page.getByLabel('Choose files').setInputFiles(files)
    await page.getByText('Done: 2 files sent.').waitFor()
    expect(sent).toEqual(['PUT', 'PUT'])
    const stored = Object.entries(await made.stored()).filter(([key]) => key.startsWith('users/'))
    expect(stored.map(([key, text]) => [key, text.length])).toEqual([
      ['users/alice/inbox/a.bin', 7_000_000],
      ['users/alice/inbox/b.bin', 6_000_000],
    ])
  })
})
