/** The documentation in a real browser: what people see, and that everybody can use it. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signToken, TEST_SECRET } from '../../support/sign-token.ts'
import { startBrowser } from '../start-browser.ts'
import { startWorker, type StartedWorker } from '../start-worker.ts'

const SIZES = {
  desktop: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
}

interface AxeResults {
  readonly violations: { id: string; impact: string; nodes: { html: string }[] }[]
}

let folder: string
let shots: string
let worker: StartedWorker
let browser: Browser

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'moonbucket-docs-'))
  shots = process.env.PAGE_SHOTS ?? folder
  const vars = { AUTH_SECRET: TEST_SECRET, LINK_SECRET: 'signs the links of the tests' }
  worker = await startWorker({ persist: join(folder, 'store'), vars })
  browser = await startBrowser()
})

afterAll(async () => {
  await browser?.close()
  await worker?.stop()
  rmSync(folder, { recursive: true })
})

async function open(path: string, options: BrowserContextOptions = SIZES.desktop): Promise<Page> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.goto(worker.origin + path)
  return page
}

/** Under the pages' own policy axe could not run either. */
async function faultsOf(path: string, options: BrowserContextOptions, shot: string) {
  const page = await open(path, { ...options, bypassCSP: true })
  // Of the beginning: some pages are longer than a picture can be.
  await page.screenshot({ path: join(shots, shot) })
  const isWider = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })")
  await page.context().close()
  return [
    ...(isWider ? ['scrolls sideways'] : []),
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
  ]
}

const PAGES: readonly (readonly [name: string, path: string])[] = [
  ['overview', '/docs'],
  ['function', '/docs/lua/io.open'],
  ['api', '/docs/api'],
  ['lua', '/docs/lua'],
  ['clients', '/docs/clients'],
  ['errors', '/docs/errors'],
  ['limits', '/docs/limits'],
  ['settings', '/docs/settings'],
]

/** Every page in two of the four, and one of each kind in the others. */
describe.each([
  ['light', 'desktop', PAGES],
  ['dark', 'phone', PAGES],
  ['dark', 'desktop', PAGES.slice(0, 2)],
  ['light', 'phone', PAGES.slice(0, 2)],
] as const)('in %s on a %s', (colorScheme, size, pages) => {
  it.each(pages)('%s suits everybody', async (name, path) => {
    const shot = `docs-${name}-${size}-${colorScheme}.png`
    expect(await faultsOf(path, { ...SIZES[size], colorScheme }, shot)).toEqual([])
  })
})

describe('a page', () => {
  it('shows the address of the service it comes from', async () => {
    const page = await open('/docs/clients')
    const text = await page.locator('main').innerText()
    expect(text).not.toContain('moonbucket.example')
    expect(text).toContain(`curl -s ${worker.origin}/execute`)
    expect(text).toContain(`"url": "${worker.origin}/mcp"`)
    await page.context().close()
  })

  it('has a command that runs as it was copied', async () => {
    const page = await open('/docs/clients', {
      ...SIZES.desktop,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.getByRole('button', { name: 'Copy: Running a script with curl' }).click()
    await page.getByRole('button', { name: 'Copied: Running a script with curl' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    await page.context().close()
    const env = { PATH: process.env.PATH, TOKEN: await signToken({ tenant: 'acme', sub: 'alice' }) }
    const { stdout } = await promisify(execFile)('sh', ['-c', copied], { env })
    expect(JSON.parse(stdout)).toMatchObject({ result: 3 })
  })

  it('breaks no rule of its policy', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('requestfailed', (request) => problems.push(request.url()))
    for (const path of ['/docs', '/docs/api', '/docs/lua/string.gsub']) {
      await page.goto(worker.origin + path, { waitUntil: 'networkidle' })
    }
    expect(problems).toEqual([])
    await context.close()
  })

  it('is whole without scripts', async () => {
    const page = await open('/docs/api', { ...SIZES.desktop, javaScriptEnabled: false })
    expect(await page.locator('section.operation').count()).toBeGreaterThan(15)
    expect(await page.locator('main').innerText()).toContain('https://moonbucket.example/execute')
    await page.context().close()
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
    await page.context().close()
  })

  it('leads from the list of functions to one of them and back', async () => {
    const page = await open('/docs/lua')
    await page.getByRole('link', { name: 'io.open', exact: true }).click()
    expect(await page.locator('h1').textContent()).toBe('io.open')
    await page.getByRole('link', { name: 'Files', exact: true }).click()
    await page.waitForURL(/\/docs\/lua#io$/)
    await page.context().close()
  })
})
