/** Scripts that come back: from the history of this browser, and from a link. */
import { afterAll, describe, expect, it } from 'vitest'
import { sharedBrowser } from '../node/start-browser.ts'
import { hasFocus, tabTo, visit, type Visit } from './open-page.ts'
import { startWorkbench } from './start-workbench.ts'

const workbench = await startWorkbench()
const browser = await sharedBrowser()
afterAll(() => workbench.stop())

const newVisit = async () => visit(browser, workbench, { token: await workbench.tokenOf() })
const linkTo = (script: string) => `${workbench.origin}/#script=${encodeURIComponent(script)}`

async function past({ page }: Visit): Promise<string[]> {
  await page.getByRole('button', { name: 'History' }).click()
  const rows = await page.locator('.past-runs button').allInnerTexts()
  await page.keyboard.press('Escape')
  return rows.map((row) => row.replaceAll(/\s+/g, ' ').trim())
}

describe('the history', () => {
  it('has script, outcome and time of each run, the newest first', async () => {
    const made = await newVisit()
    expect(await past(made)).toEqual([])
    await made.runToEnd('return 1')
    await made.runToEnd('print(1)\nerror("no")')
    expect(await past(made)).toEqual([
      expect.stringMatching(/^print\(1\) error\("no"\) Failed in line 2 \d+ seconds? ago$/),
      expect.stringMatching(/^return 1 Done \d+ seconds? ago$/),
    ])
    await made.page.reload()
    expect(await past(made)).toHaveLength(2)
  })

  it('opens a script again with its arguments, and keeps the one it replaces', async () => {
    const made = await newVisit()
    await made.page.getByText('Arguments', { exact: true }).click()
    await made.page.getByLabel(/^JSON/).fill('[1]')
    await made.runToEnd('return args[1]')
    await made.page.getByLabel(/^JSON/).fill('')
    await made.write('return "never run"')
    await made.page.getByRole('button', { name: 'History' }).click()
    await made.page.locator('.past-runs button', { hasText: 'return args[1]' }).click()
    expect(await made.script()).toBe('return args[1]')
    expect(await made.page.getByLabel(/^JSON/).inputValue()).toBe('[1]')
    expect(await past(made)).toEqual([
      expect.stringContaining('return "never run" Not run'),
      expect.stringContaining('return args[1] Done'),
    ])
    await made.page.getByRole('button', { name: /^Undo/ }).click()
    expect(await made.script()).toBe('return "never run"')
  })

  it('keeps the last 50, and is cleared on request, by keyboard alone', async () => {
    const made = await newVisit()
    const { page } = made
    const runs = Array.from({ length: 60 }, (_, i) => ({
      script: `return ${i}`,
      args: '',
      outcome: 'Done',
      isBad: false,
      at: new Date().toISOString(),
    }))
    await page.evaluate(
      `localStorage.setItem('moonbucket.history', ${JSON.stringify(JSON.stringify(runs))})`,
    )
    await made.runToEnd('return "newest"')
    const kept = await past(made)
    expect(kept).toHaveLength(50)
    expect(kept[0]).toContain('newest')
    // The focus came back to the button.
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Clear' }))
    await page.keyboard.press('Enter')
    await tabTo(
      page,
      page.getByRole('dialog', { name: /Clear/ }).getByRole('button', { name: 'Clear' }),
    )
    await page.keyboard.press('Enter')
    await page.getByText('Scripts that you run appear here.').waitFor()
    await page.keyboard.press('Escape')
    expect(await hasFocus(page.getByRole('button', { name: 'History' }))).toBe(true)
  })

  it('survives what it did not write', async () => {
    const made = await newVisit()
    await made.page.evaluate(
      `localStorage.setItem('moonbucket.history', '[1, {"script": 2}, null]')`,
    )
    expect(await past(made)).toEqual([])
    await made.page.evaluate(`localStorage.setItem('moonbucket.history', '{')`)
    await made.runToEnd('return 1')
    expect(await past(made)).toHaveLength(1)
    expect(made.complaints).toEqual([])
  })

  it('shows markup as text', async () => {
    const made = await newVisit()
    await made.runToEnd('return "<img src=x onerror=document.title=1>"')
    expect((await past(made))[0]).toContain('<img src=x')
    expect(await made.page.title()).toBe('Moonbucket')
  })
})

describe('a link', () => {
  it('brings its script into the editor, without running it', async () => {
    const script = 'print("ä & #=%")\nreturn 1'
    const made = await newVisit()
    await made.write(script)
    await made.page.getByRole('button', { name: 'Copy link to this script' }).click()
    await made.page.getByText('Copied').waitFor()
    const link = (await made.page.evaluate('navigator.clipboard.readText()')) as string
    expect(link).toBe(linkTo(script))

    const other = await newVisit()
    const sent: string[] = []
    other.page.on('request', (request) => sent.push(new URL(request.url()).pathname))
    await other.page.goto('about:blank')
    await other.page.goto(link)
    await other.page.getByText('From a link. Read it before you run it.').waitFor()
    expect(await other.script()).toBe(script)
    await other.page.locator('.browser').getByText('No files here yet.').waitFor()
    expect(sent).not.toContain('/execute')
    expect(await other.page.locator('.status').textContent()).toBe('Not run yet')
    expect(other.page.url()).toBe(`${workbench.origin}/`)
    await other.page.reload()
    expect(await other.script()).toBe(script)
  })

  it('leaves a script that was never run in the history', async () => {
    const made = await newVisit()
    await made.write('return "mine"')
    // In the same tab, as when it is pasted into the address.
    await made.page.goto(linkTo('return "theirs"'))
    await made.page.getByText('From a link.').waitFor()
    expect(await made.script()).toBe('return "theirs"')
    expect(await past(made)).toEqual([expect.stringContaining('return "mine" Not run')])
    const fresh = await made.page.context().newPage()
    await fresh.goto(linkTo('return "third"'))
    await fresh.getByText('From a link.').waitFor()
    await fresh.getByRole('button', { name: 'History' }).click()
    expect(await fresh.locator('.past-runs code').allTextContents()).toEqual([
      'return "theirs"',
      'return "mine"',
    ])
  })

  it('has a greatest length, which the page names', async () => {
    const made = await newVisit()
    await made.write(`return "${'x'.repeat(16_000)}"`)
    await made.page.getByRole('button', { name: 'Copy link to this script' }).click()
    await made.page.getByText('Too long for a link, which has at most 16000 characters.').waitFor()
    await made.page.goto(linkTo('x'.repeat(16_000)))
    await made.page.getByText('The link is damaged or too long').waitFor()
    const draft = 'sessionStorage.getItem("moonbucket.draft")'
    expect(await made.page.evaluate(draft)).toContain('return')
  })

  it('that is damaged changes nothing', async () => {
    const made = await newVisit()
    await made.write('return "mine"')
    await made.page.goto(`${workbench.origin}/#script=%E4%`)
    await made.page.getByText('The link is damaged or too long').waitFor()
    expect(await made.script()).toBe('return "mine"')
  })
})
