/** Scripts run from the page, on the real service, as a person does it. */
import { readFileSync } from 'node:fs'
import type { Locator } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { sharedBrowser } from '../node/start-browser.ts'
import { editorOf, hasFocus, tabTo, visit, type Visit } from './open-page.ts'
import { startWorkbench } from './start-workbench.ts'

const workbench = await startWorkbench({ handsOutToken: true, limits: { apiCallMs: 3000 } })
const browser = await sharedBrowser()
afterAll(() => workbench.stop())

let users = 0
/** Everybody has files of their own. */
async function newVisit(): Promise<Visit> {
  const token = await workbench.tokenOf({ sub: `user-${++users}` })
  return visit(browser, workbench, { token })
}

const status = ({ page }: Visit) => page.locator('.output').getByRole('status').first()
const log = ({ page }: Visit) => page.getByRole('log').locator('div')
const touched = ({ page }: Visit) => page.locator('.output .files .file-name')

describe('the examples', () => {
  async function runExample(made: Visit, name: string): Promise<void> {
    await made.page.getByRole('group', { name: 'Examples' }).getByRole('button', { name }).click()
    await made.run()
    await made.page.locator('.status[data-phase=good]').waitFor()
  }

  it('tells what a run cost', async () => {
    const made = await newVisit()
    await made.run()
    await made.page.locator('.status[data-phase=good]').waitFor()
    const costs = await made.page.locator('.costs dd').allTextContents()
    expect(costs).toEqual([
      expect.stringMatching(/^[\d.]+ m?s$/),
      expect.stringMatching(/^\d+ k$/),
      expect.stringMatching(/^[\d.]+ [KM]B$/),
    ])
  })

  it.each([
    ['Sum up a CSV', 'rows: 300', ['input/sales.csv', 'output/sums.csv']],
    ['API into files', 'rows: 30', ['output/shop.orders.jsonl']],
    ['Search an API', 'called: "shop.orders"', []],
  ])('%s has its result and files', async (name, result, files) => {
    const made = await newVisit()
    await runExample(made, name)
    expect(await made.page.locator('.tree').textContent()).toContain(result)
    expect(await touched(made).allTextContents()).toEqual(files)
  })

  it('hands files from one step to the next', async () => {
    const made = await newVisit()
    await runExample(made, 'Two steps')
    expect(await touched(made).count()).toBe(3)
    await made.page.getByRole('button', { name: 'Step 2' }).click()
    await made.run()
    await made.page.locator('.output .file-name', { hasText: 'report.md' }).waitFor()
    expect(await made.page.locator('.tree').textContent()).toContain('north: 264')
  })

  it('those with an API explain themselves where there is none', async () => {
    const bare = await startWorkbench({ hasApi: false })
    try {
      const made = await visit(browser, bare, { token: await bare.tokenOf() })
      await runExample(made, 'API into files')
      expect((await log(made).allTextContents()).join('\n')).toContain('moonbucket.toml')
      await runExample(made, 'Search an API')
      await made.page.getByText('No APIs are configured.').waitFor()
    } finally {
      await bare.stop()
    }
  })

  it('give the script before back', async () => {
    const made = await newVisit()
    await made.write('return "mine"')
    await made.page.getByRole('button', { name: 'Sum up a CSV' }).click()
    expect(await made.script()).toContain('sales.csv')
    await made.page.getByRole('button', { name: /Undo/ }).click()
    expect(await made.script()).toBe('return "mine"')
  })
})

describe('a run', () => {
  it('shows its log before it ends, and stops on a click', async () => {
    const made = await newVisit()
    const script = 'print("under way") while true do pcall(sdk.shop.wait, {}) end'
    await made.write(script)
    await made.run()
    await log(made).getByText('under way').waitFor()
    expect(await status(made).textContent()).toBe('Running…')
    await made.page.getByRole('button', { name: 'Stop' }).click()
    await made.page.getByText('The run was stopped.').waitFor()
    expect(await made.script()).toBe(script)
  })

  it.each([1440, 1200, 1000, 390])(
    'shows its time in a head that stays, %i pixels wide',
    async (width) => {
      const made = await newVisit()
      await made.page.setViewportSize({ width, height: 900 })
      const head = made.page.locator('.output .panel-head')
      const places = async () => [
        await head.boundingBox(),
        await head.locator('.costs').boundingBox(),
      ]
      const time = made.page.locator('.costs dd').first()
      await made.write('print("under way") pcall(sdk.shop.wait, {}) error("after a while")')
      const before = await places()
      await made.run()
      await expect.poll(() => time.textContent()).toMatch(/^[1-9]\.\d s$/)
      expect(await places()).toEqual(before)
      await made.page.locator('.status[data-phase=bad]').waitFor()
      expect(await made.page.locator('.costs dd').nth(1).textContent()).toMatch(/\d/)
      expect(await places()).toEqual(before)
    },
  )

  it('gets its arguments as they are written', async () => {
    const made = await newVisit()
    await made.page.getByText('Arguments', { exact: true }).click()
    const field = made.page.getByLabel(/^JSON/)
    await field.fill('{"n": 9007199254740993')
    expect(await made.page.locator('.problem').textContent()).toContain('This is not JSON')
    await made.write('return args.n == 9007199254740993')
    await made.run()
    expect(await hasFocus(field)).toBe(true)
    await field.fill('{"n": 9007199254740993}')
    await made.run()
    await made.page.locator('.tree').getByText('true').waitFor()
  })

  it('shows deep and long results in parts, and copies them whole', async () => {
    const made = await newVisit()
    await made.runToEnd('local t = {} for i = 1, 250 do t[i] = {i} end return {list = t}')
    await made.page.getByRole('button', { name: 'Show 100 of 150 more' }).click()
    await made.page.getByRole('button', { name: 'Show 50 of 50 more' }).click()
    expect(await made.page.locator('.tree summary', { hasText: '1 item' }).count()).toBe(250)
    await made.page.getByRole('button', { name: 'Copy the result' }).click()
    await made.page.getByText('Copied').waitFor()
    const copied = await made.page.evaluate('navigator.clipboard.readText()')
    expect(JSON.parse(copied as string)).toEqual({
      list: Array.from({ length: 250 }, (_, i) => [i + 1]),
    })
  })

  it('leaves a result that is too long in a file', async () => {
    const made = await newVisit()
    await made.runToEnd('return ("x"):rep(300000)')
    expect(await made.page.locator('.outcome').textContent()).toMatch(
      /All of it is in output\/result_/,
    )
  })
})

describe('what is kept', () => {
  it('the script and its arguments, across reloads', async () => {
    const made = await newVisit()
    await made.write('return "kept"')
    await made.page.getByText('Arguments', { exact: true }).click()
    await made.page.getByLabel(/^JSON/).fill('[1]')
    await made.page.reload()
    expect(await made.script()).toBe('return "kept"')
    expect(await made.page.getByLabel(/^JSON/).inputValue()).toBe('[1]')
  })

  it('each tab keeps its own, and a new one begins with the latest', async () => {
    const made = await newVisit()
    await made.write('return "first"')
    const other = await made.page.context().newPage()
    await other.goto(workbench.origin)
    expect(await other.locator('.cm-line').allTextContents()).toEqual(['return "first"'])
    await editorOf(other).fill('return "second"')
    await made.page.reload()
    expect(await made.script()).toBe('return "first"')
  })

  it('the token in this tab only, and nowhere after it is forgotten', async () => {
    const made = await newVisit()
    const token = await made.page.evaluate('sessionStorage.getItem("moonbucket.token")')
    expect(token).toEqual(expect.any(String))
    await made.runToEnd('return 1')
    expect(await made.page.evaluate('JSON.stringify(localStorage)')).not.toContain(token)
    expect(made.page.url()).not.toContain(token)
    await made.page.reload()
    expect(await made.page.locator('.token-held').textContent()).toContain('acme')
    await made.page.getByRole('button', { name: 'Forget the token' }).click()
    expect(await made.page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(token)
  })
})

describe('the token', () => {
  it('shows what it says', async () => {
    const scope = 'execute files:read'
    const token = await workbench.tokenOf({ tenant: 'acme <b>', sub: 'bob', scope })
    const made = await visit(browser, workbench, { token: `Bearer ${token}\n` })
    const held = await made.page.locator('.token-held dd').allTextContents()
    expect(held).toEqual(['acme <b>', 'bob', 'execute files:read'])
    expect(await made.page.locator('.expiry').textContent()).toBe('Ends in 60 minutes')
  })

  it('is one click away where the service hands one out', async () => {
    const made = await visit(browser, workbench)
    await made.page.getByRole('button', { name: 'Use a local token' }).click()
    expect(await made.page.locator('.token-held dd').nth(1).textContent()).toBe('local')
  })
})

describe('by keyboard alone', () => {
  it('a token, an example, a run, the editor and out of it, a file and back', async () => {
    const made = await visit(browser, workbench)
    const { page } = made
    await tabTo(page, page.getByLabel('Token', { exact: true }))
    await page.keyboard.insertText(await workbench.tokenOf({ sub: 'keys' }))
    await page.keyboard.press('Enter')
    expect(await hasFocus(page.getByRole('button', { name: 'Forget the token' }))).toBe(true)

    await tabTo(page, page.getByRole('button', { name: 'Sum up a CSV' }))
    await page.keyboard.press('Enter')
    await tabTo(page, editorOf(page))
    await page.keyboard.press('Control+Enter')
    await page.locator('.status[data-phase=good]').waitFor()

    await page.keyboard.press('Tab')
    expect(await hasFocus(editorOf(page))).toBe(true)
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await hasFocus(page.locator('.args summary'))).toBe(true)

    const file = page.getByRole('button', { name: 'output/sums.csv', exact: true })
    await tabTo(page, file)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('cell', { name: 'south' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await hasFocus(file)).toBe(true)

    await tabTo(page, page.getByRole('button', { name: 'input/', exact: true }))
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Folder' }).getByText('input').waitFor()
    await tabTo(page, page.getByRole('tab', { name: 'curl' }))
    await page.keyboard.press('ArrowRight')
    expect(await hasFocus(page.getByRole('tab', { name: 'TypeScript' }))).toBe(true)
  })

  it('what has the focus can be seen', async () => {
    const made = await newVisit()
    await made.page.keyboard.press('Tab')
    const outline = 'getComputedStyle(document.activeElement).outlineStyle'
    expect(await made.page.evaluate(outline)).toBe('solid')
  })
})

describe('the log', () => {
  it('stays at its end, unless somebody scrolled up to read', async () => {
    const made = await newVisit()
    await made.write('for i = 1, 300 do print(i) end pcall(sdk.shop.wait, {}) print("last")')
    await made.run()
    const last = (text: string) => log(made).getByText(text, { exact: true })
    await expectInView(last('300'))
    await made.page.getByRole('log').evaluate((element) => (element.scrollTop = 0))
    await expectInView(last('1'))
    await made.page.locator('.status[data-phase=good]').waitFor()
    await last('last').waitFor()
    await expectInView(last('1'))
    await made.runToEnd('for i = 1, 400 do print(i) end return { "takes", "room", "above" }')
    await expectInView(last('400'))

    function expectInView(line: Locator): Promise<void> {
      return expect
        .poll(() =>
          line.evaluate((element) => {
            const { top, bottom } = element.getBoundingClientRect()
            const frame = element.parentElement!.getBoundingClientRect()
            return top >= frame.top - 1 && bottom <= frame.bottom + 1
          }),
        )
        .toBe(true)
    }
  })

  it('is saved whole', async () => {
    const made = await newVisit()
    await made.runToEnd('for i = 1, 3 do print(i) end')
    const saving = made.page.waitForEvent('download')
    await made.page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(readFileSync(await (await saving).path(), 'utf8')).toBe('1\n2\n3\n')
  })
})
