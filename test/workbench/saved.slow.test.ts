/** Scripts saved under a name: saved, opened, and run with a form made from their first comment. */
import { afterAll, describe, expect, it } from 'vitest'
import { sharedBrowser } from '../node/start-browser.ts'
import { hasFocus, tabTo, visit, visitOwner, type Visit } from './open-page.ts'
import { startWorkbench } from './start-workbench.ts'

const workbench = await startWorkbench()
const browser = await sharedBrowser()
afterAll(() => workbench.stop())

const DAILY = `--- Writes the report of a day.
---@param day string the day
---@param id integer
---@param rows? number how many
---@param kind "short"|"long"
---@param quiet? boolean
---@param tags? string[] labels

return args`

async function save({ page }: Visit, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Save the script' }).click()
  await page.getByLabel(/^Name/).fill(name)
  await page.keyboard.press('Enter')
}

async function openForm({ page }: Visit, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Saved scripts' }).click()
  await page.locator('.saved button', { hasText: name }).first().click()
}

const submit = ({ page }: Visit) =>
  page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click()
const outcome = async ({ page }: Visit) => {
  await page.locator('.status:is([data-phase=good], [data-phase=bad])').waitFor()
  return page.locator('.output .tree, .output .note').first().textContent()
}

describe('a saved script', () => {
  it('is saved, and run with the form of its arguments', async () => {
    const made = await visitOwner(browser, workbench)
    const { page } = made
    await made.write(DAILY)
    await save(made, 'reports/daily')
    await page.getByText('Saved as reports/daily.').waitFor()
    await made.write('return "something else"')
    const sent: [string, string | null][] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push([request.url(), request.postData()])
    })
    await openForm(made, 'reports/daily')
    await page.getByLabel('day').fill('2026-11-16')
    await page.getByLabel('id').fill('9007199254740993')
    await page.getByLabel('kind').selectOption('long')
    await page.getByLabel('quiet (optional)').selectOption('false')
    await page.getByLabel('tags (optional)').fill('["a", "<b>"]')
    await submit(made)
    expect(await outcome(made)).toContain('9007199254740993')
    const body =
      '{"args":{"day":"2026-11-16","id":9007199254740993,"kind":"long","quiet":false,"tags":["a", "<b>"]}}'
    expect(sent[0]).toEqual([`${workbench.origin}/scripts/reports%2Fdaily`, body])
    expect(await made.script()).toBe('return "something else"')
    expect(made.complaints).toEqual([])
  })

  it('is not run with fields that are missing or no JSON', async () => {
    const made = await visitOwner(browser, workbench, { 'scripts/daily.lua': DAILY })
    const { page } = made
    await openForm(made, 'daily')
    await submit(made)
    expect(await hasFocus(page.getByLabel('day'))).toBe(true)
    await page.getByLabel('day').fill('x')
    await page.getByLabel('id').fill('1')
    await page.getByLabel('kind').selectOption('short')
    await page.getByLabel('tags (optional)').fill('[1')
    await submit(made)
    expect(await hasFocus(page.getByLabel('tags (optional)'))).toBe(true)
    // JSON, but not of strings: the service says so.
    await page.getByLabel('tags (optional)').fill('[1]')
    await submit(made)
    expect(await outcome(made)).toContain('args.tags[1]: must be a string')
  })

  it('is opened in the editor and saved again, without a question', async () => {
    const made = await visitOwner(browser, workbench, { 'scripts/a.lua': 'return 1' })
    const { page } = made
    await openForm(made, 'a')
    await page.getByRole('button', { name: 'Open in the editor' }).click()
    await page.getByText('Saved as a.').waitFor()
    expect(await made.script()).toBe('return 1')
    await made.write('return 2')
    await save(made, 'a')
    await page.getByText('Saved as a.').waitFor()
    await openForm(made, 'a')
    await submit(made)
    expect(await outcome(made)).toBe('2')
  })

  it('is not replaced by another one unasked', async () => {
    const made = await visitOwner(browser, workbench, { 'scripts/a.lua': 'return "theirs"' })
    const { page } = made
    await made.write('return "mine"')
    await save(made, 'a')
    await page.getByRole('dialog', { name: 'Replace scripts/a.lua?' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Not saved.').waitFor()
    await openForm(made, 'a')
    await submit(made)
    expect(await outcome(made)).toContain('theirs')
  })

  it('of the team is in the shared folder', async () => {
    const made = await visitOwner(browser, workbench)
    await made.write('return "ours"')
    await save(made, 'share/ours')
    await made.page.getByText('Saved as share/ours.').waitFor()
    const token = await workbench.tokenOf({ sub: 'colleague' })
    const other = await visit(browser, workbench, { token })
    await openForm(other, 'share/ours')
    await submit(other)
    expect(await outcome(other)).toContain('ours')
  })

  it('is found, filled in and run by keyboard alone', async () => {
    const script = '---@param who string\n\nreturn "Hello " .. args.who'
    const made = await visitOwner(browser, workbench, { 'scripts/a.lua': script })
    const { page } = made
    await tabTo(page, page.getByRole('button', { name: 'Saved scripts' }))
    await page.keyboard.press('Enter')
    await page.locator('.saved button').first().waitFor()
    await tabTo(page, page.locator('.saved button').first())
    await page.keyboard.press('Enter')
    await page.keyboard.type('Ada')
    await page.keyboard.press('Enter')
    expect(await outcome(made)).toContain('Hello Ada')
  })

  it('with a wrong comment says so, and can still be opened', async () => {
    const made = await visitOwner(browser, workbench, {
      'scripts/a.lua': '---@param x Foo\nreturn 1',
    })
    const { page } = made
    await openForm(made, 'a')
    await page.getByText('line 1: "Foo" is an unknown type').waitFor()
    const run = page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true })
    expect(await run.isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Open in the editor' }).click()
    await expect.poll(() => made.script()).toContain('---@param x Foo')
  })

  it('shows markup of names, descriptions and choices as text', async () => {
    const markup = '<img src=x onerror=document.title=1>'
    const script = `--- ${markup}\n---@param x "${markup}"|"b" ${markup}\n\nreturn 1`
    const made = await visitOwner(browser, workbench, { [`scripts/${markup}.lua`]: script })
    const { page } = made
    await openForm(made, markup)
    const dialog = page.getByRole('dialog')
    expect(await dialog.locator('h2').textContent()).toBe(markup)
    expect(await dialog.locator('.note-line').textContent()).toBe(markup)
    expect(await dialog.locator('option').allTextContents()).toEqual(['–', markup, 'b'])
    expect(await dialog.locator('.hint').textContent()).toBe(markup)
    expect(await page.title()).toBe('Moonbucket')
    expect(await page.locator('img[src=x]').count()).toBe(0)
    expect(made.complaints).toEqual([])
  })

  it('is asked for in vain with a token that may not run any', async () => {
    const token = await workbench.tokenOf({ scope: 'files:read' })
    const { page } = await visit(browser, workbench, { token })
    await page.getByRole('button', { name: 'Saved scripts' }).click()
    await page.getByRole('dialog').getByText('The token lacks the scope "execute".').waitFor()
  })
})
