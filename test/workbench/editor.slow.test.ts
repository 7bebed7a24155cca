/** What the editor does while somebody types. */
import { afterAll, expect, it } from 'vitest'
import { sharedBrowser } from '../node/start-browser.ts'
import { visit } from './open-page.ts'
import { startWorkbench } from './start-workbench.ts'

const workbench = await startWorkbench()
const browser = await sharedBrowser()
afterAll(() => workbench.stop())

const newVisit = async () => visit(browser, workbench, { token: await workbench.tokenOf() })

it('completes functions, and methods after a colon, with what they do', async () => {
  const made = await newVisit()
  await made.write('')
  await made.page.keyboard.type('local f = io.op')
  const first = made.page.locator('.cm-tooltip-autocomplete li').first()
  await first.waitFor()
  expect(await first.textContent()).toContain('open(path')
  await made.page.locator('.cm-completionInfo').getByText('io.open(').waitFor()
  await first.click()
  await made.page.keyboard.type('("x") f:rea')
  await made.page.locator('.cm-tooltip-autocomplete li', { hasText: 'read' }).click()
  expect(await made.script()).toBe('local f = io.open("x") f:read')
  expect(made.complaints).toEqual([])
})

it('marks a fault in the line where it is, after a pause, and forgets it', async () => {
  const made = await newVisit()
  const requested: string[] = []
  made.page.on('request', (request) => requested.push(new URL(request.url()).pathname))
  const line = made.page.locator('.cm-error-line')
  await made.write('local x = 1\nlocal y = = 2\nreturn x')
  await line.waitFor()
  expect(await line.textContent()).toBe('local y = = 2')
  expect(await line.getAttribute('data-message')).toBe("unexpected symbol near '='")
  expect(requested.filter((path) => !path.startsWith('/assets/'))).toEqual([])
  await made.write('return 1')
  await expect.poll(() => line.count()).toBe(0)
  await made.page.keyboard.type(' +')
  await line.waitFor()
  expect(await line.getAttribute('data-message')).toBe('unexpected symbol near <eof>')
  expect(made.complaints).toEqual([])
})

it('loads the compiler only when somebody edits', async () => {
  const made = await visit(browser, workbench, {})
  const names = 'performance.getEntriesByType("resource").map(({ name }) => name).join()'
  expect(await made.page.evaluate(names)).toContain('main-')
  expect(made.page.workers()).toEqual([])
  expect(await made.page.evaluate(names)).not.toMatch(/worker|wasm|html-/)
})

it('checks again after the compiler could not be loaded', async () => {
  const made = await newVisit()
  await made.page.route('**/*.wasm', (route) => route.abort(), { times: 1 })
  const failed = made.page.waitForEvent('requestfailed')
  await made.write('x = = 1')
  expect((await failed).url()).toContain('.wasm')
  await made.page.keyboard.type(' ')
  await made.page.locator('.cm-error-line').waitFor()
})

it('says what went wrong in the line of a failed run, too', async () => {
  const made = await newVisit()
  await made.runToEnd('local t\nt.x = 1')
  const message = await made.page.locator('.cm-error-line').getAttribute('data-message')
  expect(message).toBe("attempt to index a nil value (local 't')")
})

it('goes to a new line after end', async () => {
  const made = await newVisit()
  await made.write('')
  await made.page.keyboard.type('if args then\nprint(1)\nend\nreturn 2')
  expect(await made.script()).toBe('if args then\n  print(1)\nend\nreturn 2')
})
