/** The documentation in a browser: by keyboard, with and without a token. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { SITE_FOLDER } from '../../../../infra/build/site/build.ts'
import { syncFolder } from '../../../../infra/build/site/sync-folder.ts'
import { folderSite } from '../../../../src/entry/node/folder-site.ts'
import { tempFolder } from '../../../support/temp-folder.ts'
import { serveApp } from '../serve-app.ts'
import { DESKTOP, startPages } from '../start-pages.ts'
import { isAll } from '../../../support/tier.ts'

const pages = await startPages()

const open = (path: string, options = {}) =>
  pages.open(pages.origin + path, { ...DESKTOP, ...options })
const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent')

describe('the search field', () => {
  it('takes a reader to a section, by the keyboard alone and under the policy', async () => {
    const page = await open('/docs')
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    await page.keyboard.press('/')
    const field = page.getByRole('combobox', { name: 'Search the documentation' })
    await page.keyboard.type('secrets')
    const options = page.getByRole('option')
    await options.first().waitFor()
    expect(await field.getAttribute('aria-expanded')).toBe('true')
    const chosen = page.getByRole('option', { selected: true })
    const first = await chosen.textContent()
    await page.keyboard.press('ArrowDown')
    expect(await chosen.textContent()).not.toBe(first)
    expect(await field.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await chosen.textContent()).toBe(await options.last().textContent())
    await field.fill('rotate secrets')
    await page.getByRole('option', { name: 'Rotate secrets · Operate' }).first().waitFor()
    expect(await options.first().locator('mark').count()).toBeGreaterThan(0)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/operate#rotate-secrets$/)
    expect(problems).toEqual([])
  })

  it('closes on Escape, says when there is nothing, and takes a slash as text', async () => {
    const page = await open('/docs/lua')
    await page.keyboard.press('/')
    await page.keyboard.type('/docs zzz')
    await page.getByText('Nothing found.').first().waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    expect(await page.locator('.results').isVisible()).toBe(false)
    const field = page.getByRole('combobox')
    expect(await field.inputValue()).toBe('/docs zzz')
    await page.keyboard.press('Escape')
    expect(await field.inputValue()).toBe('')
    expect(page.url()).toBe(`${pages.origin}/docs/lua`)
  })

  it('shows what it finds as text', async () => {
    const page = await open('/docs')
    await page.getByRole('combobox').fill('<close>')
    await page.locator('.results').waitFor()
    expect(await page.locator('.results close').count()).toBe(0)
  })
})

describe('languages', () => {
  it('are one at a time, chosen with the keyboard and kept for other pages', async () => {
    const page = await open('/docs/clients')
    const first = page.locator('[data-tabs]').first()
    const visible = () => first.locator('[data-language]:visible').getAttribute('data-language')
    expect(await visible()).toBe('curl')
    await first.getByRole('tab', { name: 'curl' }).focus()
    await page.keyboard.press('ArrowRight')
    expect([await visible(), await focused(page)]).toEqual(['TypeScript', 'TypeScript'])
    await page.keyboard.press('ArrowRight')
    await page.goto(`${pages.origin}/docs/api`)
    expect(await page.locator('[data-language="Python"]:visible').count()).toBeGreaterThan(20)
    expect(await page.locator('[data-language="curl"]:visible').count()).toBe(0)
  })

  it.runIf(isAll)('leave what was clicked where it is', async () => {
    const page = await open('/docs/api')
    const tab = page.locator('#file_info ~ .tabs').getByRole('tab', { name: 'Python' })
    await tab.scrollIntoViewIfNeeded()
    const before = await tab.boundingBox()
    await tab.click()
    expect((await tab.boundingBox())!.y).toBeCloseTo(before!.y, 0)
  })
})

describe('an example', () => {
  const run = (page: Page, label: string) => page.getByRole('button', { name: `Run: ${label}` })

  /** With a token as `npm run dev` has it. */
  async function openLocal(path: string) {
    const folder = tempFolder()
    const service = await serveApp({ site: folderSite(folder) })
    const token = await service.tokenOf()
    syncFolder(SITE_FOLDER, folder, { 'local-token.json': JSON.stringify({ token }) })
    return { service, page: await pages.open(service.origin + path) }
  }

  it('runs in the page where the server has a token, and shows logs, result and files', async () => {
    const { page, service } = await openLocal('/docs')
    await run(page, 'The script').click()
    const output = page.getByRole('status', { name: 'Output: The script' })
    await output.waitFor()
    expect(await output.getByRole('region', { name: 'Logs' }).textContent()).toBe('done')
    const result = await output.getByRole('region', { name: 'Result' }).textContent()
    expect(JSON.parse(result!)).toEqual({ rows: 3, sum: 14 })
    const link = output.getByRole('link', { name: 'output/squares.csv' })
    const file = await fetch((await link.getAttribute('href'))!)
    expect(await file.text()).toBe('1,1\n2,4\n3,9\n')
    await service.stop()
  })

  it.runIf(isAll)('shows why it failed, with its logs, and can be run again', async () => {
    const { page, service } = await openLocal('/docs/lua/error')
    const code = page.locator('[data-run] code')
    await code.evaluate((element) => (element.textContent = 'print("so far") error("<b>no</b>")'))
    const button = page.getByRole('button', { name: /^Run: / })
    await button.click()
    const output = page.locator('.run-output')
    await output.getByText('script:1: <b>no</b>').waitFor()
    expect(await output.getByRole('region', { name: 'Logs' }).textContent()).toBe('so far')
    await code.evaluate((element) => (element.textContent = 'return 1'))
    await button.click()
    await output.getByText('Result').waitFor()
    expect(await page.locator('.run-output').count()).toBe(1)
    await service.stop()
  })

  it.runIf(isAll)('runs with the token that the workbench has in this tab', async () => {
    const page = await open('/docs/lua/io.open')
    const { tokenOf, stop } = await serveApp()
    const token = await tokenOf()
    await page.evaluate((text) => sessionStorage.setItem('moonbucket.token', text), token)
    await page.goto(`${pages.origin}/docs/lua/io.open`)
    await run(page, 'Example of io.open').click()
    await page.locator('.run-output').getByText('"file"').waitFor()
    await stop()
  })

  it('goes to the workbench where no token is known, with its script and arguments', async () => {
    const page = await open('/docs')
    await run(page, 'The script').click()
    const editor = page.locator('.cm-content')
    await editor.getByText('json.decode').waitFor()
    const script = (await editor.locator('.cm-line').allInnerTexts()).join('\n')
    expect(script).toMatch(/^args = args or json\.decode\("\{\\"count\\":3\}"\)\nlocal out <close>/)
    const { app, tokenOf, stop } = await serveApp()
    const response = await app.request('/execute', {
      method: 'POST',
      headers: { Authorization: `Bearer ${await tokenOf()}` },
      body: JSON.stringify({ script }),
    })
    expect(await response.json()).toMatchObject({ result: { rows: 3, sum: 14 } })
    await stop()
  })

  it('is a link to the workbench on a service elsewhere', async () => {
    const page = await pages.open(
      `${pages.origin.replace('127.0.0.1', 'docs.localhost')}/docs/lua/io.open`,
    )
    const link = page.getByRole('link', { name: 'Run in the workbench: Example of io.open' })
    expect(await link.getAttribute('href')).toMatch(/^\/#script=local%20out/)
  })
})

describe('a page', () => {
  it.runIf(isAll)('has the theme of the workbench', async () => {
    const page = await open('/docs', { colorScheme: 'light' })
    const theme = () => page.evaluate('document.documentElement.dataset.theme')
    await page.getByRole('button', { name: 'Use the dark theme' }).click()
    expect(await theme()).toBe('dark')
    const background = () =>
      page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const ofDocs = await background()
    await page.getByRole('link', { name: 'Workbench' }).first().click()
    await page.waitForURL(`${pages.origin}/`)
    expect([await theme(), await background()]).toEqual(['dark', ofDocs])
  })

  it.runIf(isAll)('keeps its header in sight, and headings below it', async () => {
    const page = await open('/docs/deploy#aws-lambda')
    const header = (await page.locator('.page-header').boundingBox())!
    const heading = (await page.locator('#aws-lambda').boundingBox())!
    expect(header.y).toBe(0)
    expect(heading.y).toBeGreaterThan(header.height)
  })

  it('that does not exist says so, with a way back and what may have been meant', async () => {
    const page = await open('/docs/lua/io_opn')
    expect(await page.locator('h1').textContent()).toBe('Page not found')
    await page.goto(`${pages.origin}/docs/io_open.html`)
    await page.getByRole('link', { name: 'io.open' }).first().click()
    await page.waitForURL(/\/docs\/lua\/io\.open$/)
    await page.goBack()
    await page.getByRole('link', { name: 'Go to the overview' }).click()
    await page.waitForURL(`${pages.origin}/docs`)
  })

  it('is whole without scripts: no search field, all languages, all links', async () => {
    const page = await open('/docs/clients', { javaScriptEnabled: false })
    expect(await page.getByRole('combobox').count()).toBe(0)
    expect(await page.getByRole('button').count()).toBe(0)
    const panels = page.locator('[data-language]')
    expect(await panels.count()).toBe(await page.locator('[data-language]:visible').count())
    await page.getByRole('link', { name: 'Deploy', exact: true }).click()
    await page.waitForURL(/\/docs\/deploy$/)
  })

  it.runIf(isAll)('works where storage is forbidden', async () => {
    const page = await open('/docs/api')
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage']) {
        Object.defineProperty(globalThis, name, {
          get() {
            throw new Error('forbidden')
          },
        })
      }
    })
    await page.reload()
    expect(await page.locator('[data-language="curl"]:visible').count()).toBeGreaterThan(20)
    await page.getByRole('tab', { name: 'Lua' }).first().click()
    expect(await page.getByRole('button', { name: /^Run: / }).count()).toBeGreaterThan(0)
  })

  it.runIf(isAll)('has a menu on a phone, which the keyboard opens', async () => {
    const page = await open('/docs/clients', { viewport: { width: 390, height: 844 } })
    const link = page.locator('.navigation').getByRole('link', { name: 'Deploy' })
    expect(await link.isVisible()).toBe(false)
    await page.getByText('All pages').focus()
    await page.keyboard.press('Enter')
    await link.click()
    await page.waitForURL(/\/docs\/deploy$/)
  })
})
