/** Files in the workbench: looked at, uploaded, deleted, as a person does it. */
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { sharedBrowser } from '../node/start-browser.ts'
import { visit, visitOwner, type Visit } from './open-page.ts'
import { startWorkbench } from './start-workbench.ts'

const workbench = await startWorkbench()
const browser = await sharedBrowser()
afterAll(() => workbench.stop())

const visitWith = (files?: Readonly<Record<string, string>>) =>
  visitOwner(browser, workbench, files)

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
  it('of a CSV is a table of all its rows, and its source', async () => {
    const lines = Array.from({ length: 400 }, (_, i) => `${i},"a ""b"", ${i}"`)
    const made = await visitWith({ 'long.csv': ['n,text', ...lines].join('\r\n') })
    await open(made, 'long.csv')
    const shown = dialog(made).locator('tbody tr')
    await shown.first().waitFor()
    expect(await shown.count()).toBeLessThan(100)
    expect(await shown.nth(1).locator('td').allTextContents()).toEqual(['1', 'a "b", 1'])
    expect(await dialog(made).locator('.note-line').textContent()).toMatch(/^[\d.]+ KB$/)
    await dialog(made).getByText('400 rows').waitFor()
    await dialog(made).getByRole('button', { name: 'n', exact: true }).click()
    await dialog(made).getByRole('button', { name: 'n', exact: true }).click()
    expect(await shown.first().locator('td').first().textContent()).toBe('399')
    await dialog(made).getByRole('button', { name: 'Source' }).click()
    expect(await dialog(made).locator('pre').textContent()).toMatch(/^n,text\r?\n0,"a ""b"", 0"/)
  })

  it('of a long CSV is its first rows, and says so', async () => {
    const made = await visitWith()
    await made.runToEnd(
      'local f = io.open("long.csv", "w") f:write("n,t\\n") for i = 1, 70000 do f:write(i, ",", ("x"):rep(70), "\\n") end f:close()',
    )
    await open(made, 'long.csv')
    await dialog(made)
      .getByText(/^The first 5\d,\d{3} rows of 5\.1 MB$/)
      .waitFor()
    expect(await dialog(made).locator('tbody tr').count()).toBeLessThan(100)
  })

  it('of JSON lines, and of a list in JSON, is a table', async () => {
    const made = await visitWith({
      'a.jsonl': '{"a":1}\n{"a":2,"b":"x"}\n',
      'b.json': '[{"c":1},{"c":2}]',
      'c.jsonl': '{"a":1}\nnot JSON\n',
    })
    await open(made, 'a.jsonl')
    await dialog(made).getByRole('columnheader', { name: 'b' }).waitFor()
    expect(await dialog(made).locator('td').allTextContents()).toEqual(['1', '', '2', 'x'])
    await made.page.keyboard.press('Escape')
    await open(made, 'b.json')
    await dialog(made).getByRole('columnheader', { name: 'c' }).waitFor()
    await made.page.keyboard.press('Escape')
    await open(made, 'c.jsonl')
    await dialog(made).locator('pre').getByText('not JSON').waitFor()
  })

  it('of Markdown is rendered, and its source is a click away', async () => {
    const text =
      '# Sales\n\nSee [the docs](https://docs.example/).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'
    const made = await visitWith({ 'report.md': text })
    await open(made, 'report.md')
    const frame = made.page.frameLocator('.markdown-frame')
    expect(await frame.locator('h1').textContent()).toBe('Sales')
    expect(await frame.locator('td').allTextContents()).toEqual(['1', '2'])
    const link = frame.getByRole('link', { name: 'the docs' })
    expect(await link.getAttribute('target')).toBe('_blank')
    const weight = await frame
      .locator('h1')
      .evaluate((heading) => getComputedStyle(heading as never).fontFamily)
    expect(weight).toContain('system-ui')
    await dialog(made).getByRole('button', { name: 'Source' }).click()
    expect(await dialog(made).locator('pre').textContent()).toBe(text)
    expect(made.complaints).toEqual([])
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
    await made.page.locator('.file-notice.bad').waitFor()
    expect(await made.page.locator('.file-notice').textContent()).toMatch(/10485760 bytes|larger/)
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

it('a line tells what the team has used of its quotas, and nothing without any', async () => {
  const claims = { tenant: 'limited', quota_bytes: 1_048_576, quota_runs_day: 50 }
  const token = await workbench.tokenOf(claims)
  const made = await visit(browser, workbench, { token })
  await made.runToEnd('io.open("a.txt", "w"):write(("x"):rep(2048)):close()')
  const text = 'Used by the whole team: 2.0 KB of 1.0 MB, 1 of 50 runs today.'
  await made.page.getByText(text).waitFor()
  const free = await visitWith({ 'a.txt': 'x' })
  await rows(free).first().waitFor()
  expect(await free.page.locator('.usage-line').isHidden()).toBe(true)
})
