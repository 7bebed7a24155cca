/** Files in the workbench that somebody edits, makes, renames and deletes. */
import { afterAll, expect, it } from 'vitest'
import { sharedBrowser } from '../node/start-browser.ts'
import { visitOwner, type Visit } from './open-page.ts'
import { startWorkbench } from './start-workbench.ts'

const workbench = await startWorkbench()
const browser = await sharedBrowser()
afterAll(() => workbench.stop())

const visitWith = (files: Readonly<Record<string, string>>) => visitOwner(browser, workbench, files)
const rows = ({ page }: Visit) => page.locator('.browser .files .file-name')
const dialog = ({ page }: Visit) => page.getByRole('dialog')
const open = ({ page }: Visit, name: string) =>
  page.locator('.browser').getByRole('button', { name, exact: true }).click()
const textOf = async (made: Visit, path: string) => {
  await made.runToEnd(`local f = io.open("${path}", "rb") return f and f:read("a")`)
  return JSON.parse((await made.page.locator('.tree').textContent()) ?? '') as string
}
const area = (made: Visit) => dialog(made).getByRole('textbox')
const press = (made: Visit, name: string) =>
  dialog(made).getByRole('button', { name, exact: true }).click()

it('a file is edited and saved, with the line ends it had', async () => {
  const made = await visitWith({ 'a.txt': '\ufeffone\r\ntwo\r\n' })
  await open(made, 'a.txt')
  await press(made, 'Edit')
  expect(await area(made).inputValue()).toBe('\ufeffone\ntwo\n')
  await area(made).press('Control+End')
  await made.page.keyboard.type('three\n')
  await dialog(made).getByText('Not saved yet.').waitFor()
  await made.page.keyboard.press('Control+s')
  await dialog(made).getByText('Saved.').waitFor()
  await made.page.keyboard.type('four')
  await press(made, 'Save')
  await dialog(made).getByText('Saved.').waitFor()
  await made.page.keyboard.press('Escape')
  await made.page.getByText('a.txt is saved.').waitFor()
  expect(await textOf(made, 'a.txt')).toBe('\ufeffone\r\ntwo\r\nthree\r\nfour')
})

it('a file that others changed meanwhile is replaced only on request', async () => {
  const made = await visitWith({ 'a.txt': 'old' })
  const other = await made.page.context().newPage()
  await open(made, 'a.txt')
  await press(made, 'Edit')
  await area(made).fill('mine')
  const token = (await made.page.evaluate('sessionStorage.getItem("moonbucket.token")')) as string
  await other.request.put(`${workbench.origin}/fs/content?path=a.txt`, {
    headers: { Authorization: `Bearer ${token}` },
    data: 'theirs',
  })
  await press(made, 'Save')
  const question = made.page.getByRole('dialog', { name: /^Replace the new version/ })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await made.page.getByText('Not saved.', { exact: true }).waitFor()
  expect(await area(made).inputValue()).toBe('mine')
  await press(made, 'Save')
  await question.getByRole('button', { name: 'Replace' }).click()
  await made.page.getByText('Saved.', { exact: true }).waitFor()
  await made.page.keyboard.press('Escape')
  expect(await textOf(made, 'a.txt')).toBe('mine')
})

it('a file with unsaved changes does not close by accident', async () => {
  const made = await visitWith({ 'a.txt': 'old' })
  await open(made, 'a.txt')
  await press(made, 'Edit')
  await area(made).fill('new')
  const question = made.page.getByRole('dialog', { name: /^Discard/ })
  for (let i = 0; i < 3; i++) {
    await made.page.keyboard.press('Escape')
    await question.waitFor()
    await made.page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
  }
  expect(await area(made).inputValue()).toBe('new')
  await made.page.keyboard.press('Escape')
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect.poll(() => dialog(made).count()).toBe(0)
  expect(await textOf(made, 'a.txt')).toBe('old')
})

it('a file is made new, in the folder that is open, and never over another', async () => {
  const made = await visitWith({ 'in/taken.txt': 'x' })
  await open(made, 'in/')
  await made.page.locator('.browser').getByText('taken.txt').waitFor()
  await made.page.getByRole('button', { name: 'New file' }).click()
  const path = dialog(made).getByLabel('Path')
  expect(await path.inputValue()).toBe('in/notes.txt')
  await path.fill('in/mine.txt')
  await path.press('Enter')
  await area(made).fill('written here')
  await press(made, 'Save')
  await dialog(made).getByText('Saved.').waitFor()
  await press(made, 'Close')
  await made.page.locator('.browser').getByText('mine.txt', { exact: true }).waitFor()
  expect(await textOf(made, 'in/mine.txt')).toBe('written here')

  await made.page.getByRole('button', { name: 'New file' }).click()
  await path.fill('in/taken.txt')
  await path.press('Enter')
  await area(made).fill('mine')
  await press(made, 'Save')
  const question = made.page.getByRole('dialog', { name: 'Replace in/taken.txt?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await made.page.keyboard.press('Escape')
  await made.page
    .getByRole('dialog', { name: /^Discard/ })
    .getByRole('button', { name: 'Discard' })
    .click()
  expect(await textOf(made, 'in/taken.txt')).toBe('x')
})

it('a file is renamed, and never over another', async () => {
  const made = await visitWith({ 'a.txt': 'content', 'b.txt': 'other' })
  await open(made, 'a.txt')
  await press(made, 'Rename')
  const path = dialog(made).getByLabel('New path')
  await path.fill('b.txt')
  await path.press('Enter')
  await dialog(made).getByText('b.txt exists already.').waitFor()
  await press(made, 'Rename')
  await path.fill('sub/c.txt')
  await path.press('Enter')
  await made.page.getByText('Renamed to sub/c.txt.').waitFor()
  await expect.poll(() => rows(made).allTextContents()).toEqual(['sub/', 'b.txt'])
  expect(await textOf(made, 'sub/c.txt')).toBe('content')
  expect(await textOf(made, 'b.txt')).toBe('other')
})

it('a file that cannot be renamed stays, and nothing is left at the new name', async () => {
  const made = await visitWith({ 'a.txt': 'content' })
  await open(made, 'a.txt')
  await press(made, 'Rename')
  const path = dialog(made).getByLabel('New path')
  await path.fill('../out.txt')
  await path.press('Enter')
  await dialog(made).locator('.note-line.bad').waitFor()
  const token = (await made.page.evaluate('sessionStorage.getItem("moonbucket.token")')) as string
  await made.page.request.post(`${workbench.origin}/fs/delete`, {
    headers: { Authorization: `Bearer ${token}` },
    data: { path: 'a.txt' },
  })
  await press(made, 'Rename')
  await path.fill('new.txt')
  await path.press('Enter')
  await dialog(made)
    .getByText(/No such file/)
    .waitFor()
  await made.page.keyboard.press('Escape')
  await made.page.getByRole('button', { name: 'Refresh' }).click()
  await made.page.getByText('No files here yet.').waitFor()
})

it('a file is deleted from its preview, after a question', async () => {
  const made = await visitWith({ 'a.txt': 'x', 'b.txt': 'x' })
  await open(made, 'a.txt')
  await press(made, 'Delete')
  const question = made.page.getByRole('dialog', { name: 'Delete a.txt?' })
  await question.getByRole('button', { name: 'Delete' }).click()
  await made.page.getByText('a.txt is deleted.').waitFor()
  await expect.poll(() => rows(made).allTextContents()).toEqual(['b.txt'])
})
