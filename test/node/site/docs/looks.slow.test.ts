/** The documentation in a real browser, closely: what people see, and that everybody can use it. */
import { execFile } from 'node:child_process'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { guideFiles } from '../../../../infra/build/site/docs/guide-files.ts'
import { signToken } from '../../../support/sign-token.ts'
import { axeFaults, widthFaults } from '../axe-faults.ts'
import { shoot, startPages } from '../start-pages.ts'

const SIZES = {
  desktop: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
}

const pages = await startPages()

const open = (path: string, options: BrowserContextOptions = SIZES.desktop) =>
  pages.open(pages.origin + path, options)

/** Under the pages' own policy axe could not run either. */
async function faultsOf(path: string, options: BrowserContextOptions, shot: string) {
  const page = await open(path, { ...options, bypassCSP: true })
  // Of the beginning: some pages are longer than a picture can be.
  await shoot(page, shot)
  return [...(await widthFaults(page)), ...(await axeFaults(page))]
}

const PAGES: readonly (readonly [name: string, path: string])[] = [
  ['overview', '/docs'],
  ['function', '/docs/lua/io.open'],
  ['api', '/docs/api'],
  ['lua', '/docs/lua'],
  ['agents', '/docs/agents'],
  ['missing', '/docs/io_open'],
  ['errors', '/docs/errors'],
  ...guideFiles().map((file) => [basename(file, '.md'), `/docs/${basename(file, '.md')}`] as const),
]

/** Every page in two of the four, and one of each kind in the others. */
describe.each([
  ['light', 'desktop', PAGES],
  ['dark', 'phone', PAGES],
  ['dark', 'desktop', PAGES.slice(0, 2)],
  ['light', 'phone', PAGES.slice(0, 2)],
] as const)('in %s on a %s', (colorScheme, size, looked) => {
  it.each(looked)('%s suits everybody', async (name, path) => {
    const shot = `docs-${name}-${size}-${colorScheme}.png`
    expect(await faultsOf(path, { ...SIZES[size], colorScheme }, shot)).toEqual([])
  })
})

describe('a page', () => {
  it('suits everybody with results of a search, and with what came of an example', async () => {
    const token = await signToken({ tenant: 'readers', sub: 'alice' })
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open('/docs', { ...SIZES.phone, colorScheme, bypassCSP: true })
      await page.evaluate((text) => sessionStorage.setItem('moonbucket.token', text), token)
      await page.reload()
      await page.getByRole('button', { name: 'Run: The script' }).click()
      await page.locator('.run-output').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('files')
      await page.getByRole('option').first().waitFor()
      await shoot(page, `docs-search-phone-${colorScheme}.png`)
      expect([...(await widthFaults(page)), ...(await axeFaults(page))]).toEqual([])
    }
  })

  it('has a command that runs as it was copied', async () => {
    const page = await open('/docs/clients', {
      ...SIZES.desktop,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.getByRole('button', { name: 'Copy: Run a script with curl' }).click()
    await page.getByRole('button', { name: 'Copied: Run a script with curl' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    const env = { PATH: process.env.PATH, TOKEN: await signToken({ tenant: 'acme', sub: 'alice' }) }
    const { stdout } = await promisify(execFile)('sh', ['-c', copied], { env })
    expect(JSON.parse(stdout)).toMatchObject({ result: 3 })
  })

  it('is whole without scripts', async () => {
    const page = await open('/docs/api', { ...SIZES.desktop, javaScriptEnabled: false })
    expect(await page.locator('section.operation').count()).toBeGreaterThan(15)
    expect(await page.locator('main').innerText()).toContain('https://moonbucket.example/execute')
  })

  it('lets the keyboard skip to its content', async () => {
    const page = await open('/docs/lua')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe(
      'solid',
    )
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
  })
})
