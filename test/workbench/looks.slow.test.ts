/** The page for everybody: light and dark, wide and narrow, with a screen reader, without motion. */
import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { axeFaults, SERIOUS, widthFaults } from '../node/site/axe-faults.ts'
import { shoot } from '../node/site/start-pages.ts'
import { sharedBrowser } from '../node/start-browser.ts'
import { visit, type Visit } from './open-page.ts'
import { startWorkbench } from './start-workbench.ts'

const WIDE = { viewport: { width: 1440, height: 900 } }
const MIDDLE = { viewport: { width: 1000, height: 800 } }
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
/** Each width once, and each scheme. */
const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['light', { ...WIDE, colorScheme: 'light' }],
  ['middle-dark', { ...MIDDLE, colorScheme: 'dark' }],
  ['phone', { ...PHONE, colorScheme: 'light' }],
]

/** Rows of every kind, and a report. */
const TABLE = `
local rows = {}
for i = 1, 500 do
  rows[i] = {
    id = i, city = ({ "Bern", "São Paulo", "Oslo" })[i % 3 + 1], total = i * 37 % 1000 / 10,
    tags = { "a", "b" }, note = i % 4 == 0 and ("A longer remark. "):rep(6) or nil,
  }
end
file.save("output/report.md", [[
# Sales of November

Orders **rose** by a third; see [the docs](https://docs.example/).

| Region | Orders |
|--------|-------:|
| North  |    120 |
| South  |     80 |

- [x] counted
- [ ] checked

> Numbers are preliminary.
]])
return rows`

/** Arguments of every kind. */
const SAVED = `--- Writes the report of a day, with as many words as a description may need on a phone.
---@param day string the day, such as 2026-11-16
---@param rows? integer how many rows
---@param kind "short"|"long"
---@param quiet? boolean
---@param tags? string[] labels

return args`

const workbench = await startWorkbench()
const browser = await sharedBrowser()
afterAll(() => workbench.stop())

describe.each(LOOKS)('%s', (look, options) => {
  it('has no serious fault in any state', async () => {
    const made = await visit(browser, workbench, options)
    const { page } = made
    const faults: string[] = []
    const lookAt = async (state: string) => {
      const found = [...(await axeFaults(page, SERIOUS)), ...(await widthFaults(page))]
      faults.push(...found.map((fault) => `${state}: ${fault}`))
      await shoot(page, `workbench-${state}-${look}.png`)
    }
    await lookAt('first-visit')
    await made.useToken(await workbench.tokenOf({ sub: look }))
    await made.run()
    await page.locator('.inline-image img').waitFor()
    await lookAt('result')
    await page.locator('.output .file-name', { hasText: 'moon.csv' }).click()
    await page.getByRole('dialog').locator('td').first().waitFor()
    await lookAt('csv')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Delete output' }).click()
    await lookAt('question')
    await page.keyboard.press('Escape')
    await page.getByText('Arguments', { exact: true }).click()
    await page.getByLabel(/^JSON/).fill('{')
    await lookAt('bad-arguments')
    await page.getByLabel(/^JSON/).fill('')
    await made.runToEnd('print("x")\nerror("no")')
    await lookAt('error')
    await made.runToEnd(TABLE)
    await lookAt('table')
    await page.locator('.output .opener').first().click()
    await page.getByText('Columns', { exact: true }).click()
    await lookAt('table-open')
    await page.locator('.output .file-name', { hasText: 'report.md' }).click()
    await page.frameLocator('.markdown-frame').locator('h1').waitFor()
    await lookAt('markdown')
    await page.getByRole('button', { name: 'Edit' }).click()
    await lookAt('edit')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'History' }).click()
    await lookAt('history')
    await page.keyboard.press('Escape')
    await made.write(SAVED)
    await page.getByRole('button', { name: 'Save the script' }).click()
    await page.getByLabel(/^Name/).fill('reports/daily')
    await lookAt('save')
    await page.keyboard.press('Enter')
    await page.getByText('Saved as reports/daily.').waitFor()
    await page.getByRole('button', { name: 'Saved scripts' }).click()
    await page.locator('.saved button').waitFor()
    await lookAt('saved')
    await page.locator('.saved button').click()
    await lookAt('saved-form')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'New file' }).click()
    await lookAt('new-file')
    await page.keyboard.press('Escape')
    for (const script of ['error("no")', 'return "done"']) {
      await made.write(script)
      await page.getByRole('button', { name: 'Run in background' }).click()
      await page.locator('.status:is([data-phase=good], [data-phase=bad])').waitFor()
    }
    await made.write('for page = 1, 3 do print("page " .. page) end\nsdk.shop.wait({})')
    await page.getByRole('button', { name: 'Run in background' }).click()
    await page.getByRole('log').getByText('page 3').waitFor()
    await lookAt('background')
    await page.getByRole('button', { name: 'Background runs' }).click()
    await page.locator('.runs li').nth(2).waitFor()
    await lookAt('runs')
    await page.keyboard.press('Escape')
    await made.write('local total = 0\nfor i = 1, 10 do\n  total = total + = i\nend')
    await page.locator('.cm-error-line').waitFor()
    await lookAt('syntax')
    expect(faults).toEqual([])
  })
})

describe('the theme', () => {
  const background = ({ page }: Visit) =>
    page.evaluate('getComputedStyle(document.body).backgroundColor')

  it('follows the system, until somebody chooses the other; that is kept', async () => {
    const made = await visit(browser, workbench, { colorScheme: 'light' })
    const light = await background(made)
    await made.page.getByRole('button', { name: 'Use the dark theme' }).click()
    const dark = await background(made)
    expect(dark).not.toBe(light)
    await made.page.reload()
    expect(await background(made)).toBe(dark)
    await made.page.getByRole('button', { name: 'Use the light theme' }).click()
    await made.page.emulateMedia({ colorScheme: 'dark' })
    expect(await background(made)).toBe(dark)
  })
})

describe('for a screen reader', () => {
  it('there are landmarks, and live regions for the state of a run and its log', async () => {
    const made = await visit(browser, workbench, { token: await workbench.tokenOf() })
    const { page } = made
    for (const role of ['banner', 'main'] as const)
      expect(await page.getByRole(role).count()).toBe(1)
    for (const name of ['Script', 'Output', 'Files', 'Access', 'Run it from your own code']) {
      expect([name, await page.getByRole('region', { name }).count()]).toEqual([name, 1])
    }
    await made.runToEnd('print("spoken")')
    expect(await page.getByRole('log').getAttribute('aria-live')).toBe('polite')
    expect(await page.locator('.output').getByRole('status').first().textContent()).toBe('Done')
  })

  it('a flood of lines is not read aloud', async () => {
    const made = await visit(browser, workbench, { token: await workbench.tokenOf() })
    await made.runToEnd('for i = 1, 400 do print(i) end')
    await made.page.getByRole('log').getByText('400').waitFor()
    expect(await made.page.getByRole('log').getAttribute('aria-live')).toBe('off')
  })
})

it('without motion nothing is animated', async () => {
  const made = await visit(browser, workbench, {
    reducedMotion: 'reduce',
    token: await workbench.tokenOf(),
  })
  await made.write('print(1) sdk.shop.wait({})')
  await made.run()
  await made.page.getByRole('log').getByText('1').waitFor()
  expect(await made.page.evaluate('document.getAnimations().length')).toBe(0)
  await made.page.getByRole('button', { name: 'Stop' }).click()
})

it('on a phone Run stays in view, wherever somebody scrolls', async () => {
  const made = await visit(browser, workbench, { ...PHONE, token: await workbench.tokenOf() })
  const { page } = made
  const run = page.getByRole('button', { name: 'Run', exact: true })
  const isInView = async () => {
    const { y, height } = (await run.boundingBox())!
    return y >= 0 && y + height <= PHONE.viewport.height
  }
  expect(await isInView()).toBe(true)
  for (const section of ['Output', 'Files', 'From code', 'Script']) {
    await page.getByRole('link', { name: section, exact: true }).click()
    expect([section, await isInView()]).toEqual([section, true])
  }
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  const [snippet, bar] = await Promise.all([
    page.locator('.snippet').boundingBox(),
    page.locator('.run-bar').boundingBox(),
  ])
  expect(snippet!.y + snippet!.height).toBeLessThanOrEqual(bar!.y)
  await made.runToEnd(TABLE)
  await page.getByRole('link', { name: /^Done/ }).click()
  await page.getByRole('button', { name: 'id', exact: true }).tap()
  expect(await page.locator('th[aria-sort=ascending]').count()).toBe(1)
})

it('nothing jumps when a token comes and when a run starts and ends', async () => {
  const made = await visit(browser, workbench)
  const { page } = made
  const places = () =>
    Promise.all(
      ['.panel.script', '.panel.output', '.panel.browser', 'button.run', '.costs'].map((part) =>
        page.locator(part).boundingBox(),
      ),
    )
  const before = await places()
  await made.useToken(await workbench.tokenOf({ sub: 'still' }))
  const withToken = await places()
  expect(withToken.slice(0, 4)).toEqual(before.slice(0, 4))
  await made.run()
  await page.locator('.inline-image img').waitFor()
  expect((await places()).slice(0, 4)).toEqual(before.slice(0, 4))
})
