/** What goes wrong, and what the page says about it: in every case the person's script is still there. */
import { statSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { sharedBrowser } from '../node/start-browser.ts'
import { hasFocus, visit, type Visit } from './open-page.ts'
import { startWorkbench } from './start-workbench.ts'

const workbench = await startWorkbench({ limits: { fuel: 200_000_000 } })
const browser = await sharedBrowser()
afterAll(() => workbench.stop())

const SCRIPT = 'print("hello") return 1'

async function told({ page }: Visit): Promise<string> {
  const note = page.locator('.output .note')
  await note.waitFor()
  return (await note.textContent()) ?? ''
}

describe('a token', () => {
  it('that is missing is asked for, and the field has the focus', async () => {
    const made = await visit(browser, workbench)
    await made.write(SCRIPT)
    await made.run()
    expect(await told(made)).toContain('A token is needed first.')
    expect(await hasFocus(made.page.getByLabel('Token', { exact: true }))).toBe(true)
    expect(await made.script()).toBe(SCRIPT)
  })

  it('that has expired says so before anything is sent', async () => {
    const token = await workbench.tokenOf({}, { ttlS: -600 })
    const made = await visit(browser, workbench, { token })
    expect(await made.page.locator('.expiry').textContent()).toBe(
      'Ended 10 minutes ago: forget it and paste a new one',
    )
    const sent: string[] = []
    made.page.on('request', (request) => sent.push(request.url()))
    await made.run()
    expect(await told(made)).toContain('The token has expired.')
    expect(sent).toEqual([])
  })

  it('that has expired is named beside Run, with a way to the field', async () => {
    const token = await workbench.tokenOf({}, { ttlS: -600 })
    const made = await visit(browser, workbench, { token })
    const notice = made.page.locator('.run-bar .token-notice')
    expect(await notice.textContent()).toBe('The token has expired. Paste a new one')
    await notice.getByRole('button').click()
    expect(await hasFocus(made.page.getByLabel('Token', { exact: true }))).toBe(true)
    await made.useToken(await workbench.tokenOf())
    expect(await notice.isVisible()).toBe(false)
  })

  it('that expires while the page is open is named then', async () => {
    const made = await visit(browser, workbench)
    await made.page.clock.install()
    await made.useToken(await workbench.tokenOf({}, { ttlS: 60 }))
    const notice = made.page.locator('.token-notice')
    expect(await notice.isVisible()).toBe(false)
    await made.page.clock.fastForward(80_000)
    await notice.getByText('The token has expired.').waitFor()
  })

  it.each([
    ['signed by somebody else', { secret: 'a secret of somebody else, long' }],
    ['that is no token', null],
  ])('%s is refused with what to do', async (_, signing) => {
    const token = signing ? await workbench.tokenOf({}, signing) : 'not-a-token'
    const made = await visit(browser, workbench, { token })
    await made.write(SCRIPT)
    await made.run()
    expect(await told(made)).toContain('Paste another token.')
    expect(await made.page.locator('.token-notice').textContent()).toContain('refused the token')
    expect(await made.page.locator('.browser .note').textContent()).toContain(
      'Paste another token.',
    )
    expect(await made.script()).toBe(SCRIPT)
    await made.page.locator('.output .note').getByRole('button', { name: 'Paste a token' }).click()
    expect(await hasFocus(made.page.getByLabel('Token', { exact: true }))).toBe(true)
    await made.useToken(await workbench.tokenOf())
    await made.runToEnd(SCRIPT)
    expect(await made.page.locator('.token-notice').isVisible()).toBe(false)
  })

  it('without the scope says which one is missing', async () => {
    const token = await workbench.tokenOf({ scope: 'files:read' })
    const made = await visit(browser, workbench, { token })
    await made.run()
    expect(await told(made)).toMatch(/execute/)
  })
})

describe('a script', () => {
  it('that never ends is ended by the service, which says why', async () => {
    const made = await visit(browser, workbench, { token: await workbench.tokenOf() })
    await made.runToEnd('local n = 0\nwhile true do n = n + 1 end')
    expect(await told(made)).toMatch(/Out of fuel.*loop that never ends/)
    expect(await made.script()).toContain('while true')
  })

  it('that cannot be read marks where', async () => {
    const made = await visit(browser, workbench, { token: await workbench.tokenOf() })
    await made.runToEnd('local x = 1\nlocal y = = 2')
    expect(await told(made)).toContain('Syntax error')
    expect(await made.page.locator('.cm-error-line').textContent()).toBe('local y = = 2')
  })

  it('with a megabyte of log keeps the page small, and says what is not shown', async () => {
    const made = await visit(browser, workbench, { token: await workbench.tokenOf() })
    await made.runToEnd('for i = 1, 30000 do print(i, ("x"):rep(50)) end return "done"')
    expect(await made.page.locator('.tree').textContent()).toBe('"done"')
    const hidden = made.page.locator('.hidden-lines')
    await hidden.getByText(/earlier lines not shown/).waitFor()
    expect(await hidden.textContent()).toMatch(/^1[78],\d{3} earlier lines not shown/)
    const log = made.page.getByRole('log')
    expect(await log.locator('div').count()).toBe(500)
    const saving = made.page.waitForEvent('download')
    await made.page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(statSync(await (await saving).path()).size).toBeGreaterThan(1_000_000)
  })

  it('with one endless line in its log shows the beginning of it', async () => {
    const made = await visit(browser, workbench, { token: await workbench.tokenOf() })
    await made.runToEnd('print(("y"):rep(900000))')
    const line = made.page.getByRole('log').locator('div')
    expect(await line.textContent()).toMatch(/^y{2000}… \(898000 more characters/)
  })
})

it('a service that stops in mid-run, and is back later', async () => {
  const made = await visit(browser, workbench, { token: await workbench.tokenOf() })
  const script = 'print("under way")\nsdk.shop.wait({})'
  await made.write(script)
  await made.run()
  await made.page.getByRole('log').getByText('under way').waitFor()
  workbench.breakOff()
  expect(await told(made)).toContain('The connection broke before the run had ended.')
  expect(await made.page.getByRole('log').textContent()).toBe('under way')
  expect(await made.script()).toBe(script)

  await made.run()
  await made.page.locator('.output').getByText('The service cannot be reached.').waitFor()
  expect(await made.page.locator('.browser .note').textContent()).toContain('cannot be reached')
  await workbench.comeBack()
  await made.runToEnd('return "back"')
  expect(await made.page.locator('.tree').textContent()).toBe('"back"')
})
