/** Files in the workbench: looked at, uploaded, deleted, as a person does it. */
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { startBrowser } from '../node/start-browser.ts'
import { visit, type Visit } from './open-page.ts'
import { startWorkbench } from './start-workbench.ts'

const workbench = await startWorkbench()
const browser = await startBrowser()
afterAll(() => Promise.all([browser.close(), workbench.stop()]))

let users = 0
/** Everybody has files of their own, with these texts in them. */
async function visitWith(files: Readonly<Record<string, string>> = {}): Promise<Visit> {
  const token = await workbench.tokenOf({ sub: `user-${++users}` })
  const script = 'for path, text in pairs(args or {}) do file.save(path, text) end'
  const response = await fetch(`${workbench.origin}/execute`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({ script, args: files }),
  })
  expect(response.status).toBe(200)
  return visit(browser, workbench, { token })
}

const rows = ({ page }: Visit) => page.locator('.browser .files .file-name')
const dialog = ({ page }: Visit) => page.getByRole('dialog')
const open = ({ page }: Visit, name: string) =>
  page.locator('.browser').getByRole('button', { name, exact: true }).click()

const asUpload = (name: string, text: string) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(text),
})

describe('a preview', () => {
  it('of a CSV is a table of its first 200 rows', async () => {
    const lines = Array.from({ length: 400 }, (_, i) => `${i},"a ""b"", ${i}"`)
    const made = await visitWith({ 'long.csv': ['n,text', ...lines].join('\r\n') })
    await open(made, 'long.csv')
    await dialog(made).locator('tbody tr').first().waitFor()
    expect(await dialog(made).locator('tbody tr').count()).toBe(200)
    expect(await dialog(made).locator('tbody tr').nth(1).locator('td').allTextContents()).toEqual([
      '1',
      'a "b", 1',
    ])
    expect(await dialog(made).locator('.note-line').textContent()).toMatch(/^The first 200 rows of/)
  })

  it('of JSON is indented, of text is text, of anything else is a way to save it', async () => {
    const made = await visitWith({
      'a.json': '{"a":[1,2]}',
      'big.json': '{"n":12345678901234567890}',
      notes: 'no extension, still text',
      'data.bin': 'a\0b',
      'empty.txt': '',
    })
    const shown = async (name: string) => {
      await open(made, name)
      const text = dialog(made).locator('.preview-body > :not(:text("Loading…"))')
      await text.waitFor()
      const seen = await text.textContent()
      await dialog(made).getByRole('button', { name: 'Close' }).click()
      return seen
    }
    expect(await shown('a.json')).toBe('{\n  "a": [\n    1,\n    2\n  ]\n}')
    expect(await shown('big.json')).toBe('{"n":12345678901234567890}')
    expect(await shown('notes')).toBe('no extension, still text')
    expect(await shown('data.bin')).toContain('This is not text.')
    expect(await shown('empty.txt')).toBe('The file is empty.')

    await open(made, 'data.bin')
    const saving = made.page.waitForEvent('download')
    await dialog(made).getByRole('button', { name: 'Download' }).click()
    const download = await saving
    expect(download.suggestedFilename()).toBe('data.bin')
    expect(readFileSync(await download.path(), 'latin1')).toBe('a\0b')
  })

  it('has a link that opens without a token', async () => {
    const made = await visitWith({ 'a b.txt': 'open to whoever has the link' })
    await open(made, 'a b.txt')
    await dialog(made).getByRole('button', { name: 'Copy link' }).click()
    await dialog(made).getByText('Copied').waitFor()
    const link = (await made.page.evaluate('navigator.clipboard.readText()')) as string
    expect(await (await fetch(link)).text()).toBe('open to whoever has the link')
  })

  it('opens from the files of a run, whose links open too', async () => {
    const made = await visitWith()
    await made.runToEnd('file.save("output/x.txt", "from a run")')
    const row = made.page.locator('.output .files li')
    const href = await row.getByRole('link').getAttribute('href')
    expect(await (await fetch(href!)).text()).toBe('from a run')
    await row.getByRole('button', { name: 'output/x.txt', exact: true }).click()
    expect(await dialog(made).locator('pre').textContent()).toBe('from a run')
  })
})

describe('the browser', () => {
  it('lists a large folder page by page', async () => {
    const made = await visitWith()
    await made.runToEnd('for i = 1, 230 do file.save(("f/%03d.txt"):format(i), "") end')
    await open(made, 'f/')
    await made.page.getByRole('button', { name: 'Show more' }).click()
    await made.page.locator('.browser').getByText('230.txt').waitFor()
    expect(await rows(made).count()).toBe(230)
  })

  it('asks before an upload replaces a file', async () => {
    const made = await visitWith({ 'a.txt': 'old' })
    const input = made.page.getByLabel('Files to upload')
    await input.setInputFiles([asUpload('a.txt', 'new')])
    await dialog(made).getByRole('button', { name: 'Cancel' }).click()
    await made.page.getByText('0 files uploaded.').waitFor()
    await made.runToEnd('return io.open("a.txt"):read("a")')
    expect(await made.page.locator('.tree').textContent()).toBe('"old"')
    await input.setInputFiles([asUpload('a.txt', 'new')])
    await dialog(made).getByRole('button', { name: 'Replace' }).click()
    await made.page.getByText('1 file uploaded.').waitFor()
    await made.runToEnd('return io.open("a.txt"):read("a") .. "!"')
    expect(await made.page.locator('.tree').textContent()).toBe('"new!"')
  })

  it('takes dropped files, into the folder that is open', async () => {
    const made = await visitWith({ 'in/here.txt': 'x' })
    await open(made, 'in/')
    await made.page.locator('.browser').getByText('here.txt').waitFor()
    const carried = await made.page.evaluateHandle(`(() => {
      const carried = new DataTransfer()
      carried.items.add(new File(['dropped'], 'drop.txt'))
      return carried
    })()`)
    await made.page.locator('.browser').dispatchEvent('drop', { dataTransfer: carried })
    await made.page.getByText('1 file uploaded.').waitFor()
    await made.runToEnd('return io.open("in/drop.txt"):read("a")')
    expect(await made.page.locator('.tree').textContent()).toBe('"dropped"')
  })

  it('says why an upload was refused', async () => {
    const made = await visitWith()
    const tooLarge = asUpload('large.bin', 'x'.repeat(10 * 1024 * 1024 + 1))
    await made.page.getByLabel('Files to upload').setInputFiles([tooLarge])
    await made.page.locator('.told.bad').waitFor()
    expect(await made.page.locator('.told').textContent()).toMatch(/10485760 bytes|larger/)
  })

  it('deletes what somebody agreed to, folders with all that is in them', async () => {
    const made = await visitWith({ 'd/1.txt': 'x', 'd/2.txt': 'x', 'keep.txt': 'x' })
    await made.page.getByRole('button', { name: 'Delete d' }).click()
    expect(await dialog(made).textContent()).toContain('Everything in it is deleted too.')
    await made.page.keyboard.press('Enter')
    await expect.poll(() => dialog(made).count()).toBe(0)
    expect(await rows(made).count()).toBe(2)
    await made.page.getByRole('button', { name: 'Delete d' }).click()
    await dialog(made).getByRole('button', { name: 'Delete' }).click()
    await made.page.getByText('d is deleted.').waitFor()
    await expect.poll(() => rows(made).allTextContents()).toEqual(['keep.txt'])
  })

  it('leads to what everybody of the tenant shares', async () => {
    const made = await visitWith()
    await made.page.getByRole('button', { name: 'Shared' }).click()
    await made.page.getByText('Nothing is shared yet.').waitFor()
    await made.page.getByLabel('Files to upload').setInputFiles([asUpload('all.txt', 'ours')])
    await made.page.getByText('1 file uploaded.').waitFor()
    const other = await visitWith()
    await open(other, 'share/')
    await open(other, 'all.txt')
    expect(await dialog(other).locator('pre').textContent()).toBe('ours')
  })

  it('shows nothing of the one before when the token changes', async () => {
    const made = await visitWith({ 'mine.txt': 'x' })
    await made.page.locator('.browser').getByText('mine.txt').waitFor()
    await made.page.getByRole('button', { name: 'Forget the token' }).click()
    await made.page.getByText('Your files appear here once there is a token.').waitFor()
    expect(await rows(made).count()).toBe(0)
  })
})
