/** Runs in the background, as a person starts, leaves, finds and stops them. */
import { afterAll, describe, expect, it } from 'vitest'
import { sharedBrowser } from '../node/start-browser.ts'
import { hasFocus, tabTo, visit, type Visit } from './open-page.ts'
import { startWorkbench } from './start-workbench.ts'

const workbench = await startWorkbench()
const browser = await sharedBrowser()
afterAll(() => workbench.stop())

let users = 0
/** Everybody has runs of their own. */
const newToken = () => workbench.tokenOf({ sub: `background-${++users}` })
const newVisit = async () => visit(browser, workbench, { token: await newToken() })

/** Prints, waits until the test lets it go, and goes on. */
const WAITING = `print("before")
sdk.shop.wait({})
file.save("output/late.txt", "x")
print("after")
return "all done"`

const status = ({ page }: Visit) => page.locator('.output').getByRole('status').first()

/** Logs and ends come by polling. */
const POLL = { timeout: 20_000 }
const says = (made: Visit, words: string) =>
  expect.poll(() => status(made).textContent(), POLL).toBe(words)
const lines = ({ page }: Visit) => page.getByRole('log').locator('div')
const inBackground = ({ page }: Visit) => page.getByRole('button', { name: 'Run in background' })
const rows = ({ page }: Visit) => page.locator('.runs li')

async function start(made: Visit, script = WAITING): Promise<void> {
  await made.write(script)
  await inBackground(made).click()
}

async function openList({ page }: Visit): Promise<void> {
  await page.getByRole('button', { name: 'Background runs' }).click()
}

/** Once its call has arrived, so that it can be let go. */
async function printed(made: Visit): Promise<void> {
  await lines(made).getByText('before').waitFor()
  await says(made, 'In background…')
}

async function endsWell(made: Visit): Promise<void> {
  await expect
    .poll(async () => {
      workbench.letGo()
      return status(made).textContent()
    }, POLL)
    .toBe('Done, 1 file')
  await made.page.locator('.tree').getByText('all done').waitFor()
  expect(await lines(made).allTextContents()).toEqual(['before', 'after'])
  expect(await made.page.locator('.output .files .file-name').allTextContents()).toEqual([
    'output/late.txt',
  ])
}

describe('a run in the background', () => {
  it('shows its log and its answer as any other', async () => {
    const made = await newVisit()
    await start(made)
    await printed(made)
    await endsWell(made)
    expect(made.complaints).toEqual([])
  })

  it('is shown again after a reload, with its whole log', async () => {
    const made = await newVisit()
    await start(made)
    await printed(made)
    await made.page.reload()
    await printed(made)
    await endsWell(made)
    await made.page.reload()
    await endsWell(made)
  })

  it('goes on where it was when the connection breaks', async () => {
    const made = await newVisit()
    await start(made)
    await printed(made)
    const asked: (string | undefined)[] = []
    made.page.on('request', (request) => {
      if (request.url().endsWith('/events')) asked.push(request.headers()['last-event-id'])
    })
    workbench.breakOff()
    await says(made, 'Reconnecting…')
    await workbench.comeBack()
    await expect.poll(() => asked.length, POLL).toBeGreaterThan(0)
    expect(asked[0]).toMatch(/./)
    await endsWell(made)
  })

  it('leaves room for other runs, and is found again', async () => {
    const made = await newVisit()
    await start(made)
    await printed(made)
    await made.runToEnd('return "meanwhile"')
    await made.page.locator('.tree').getByText('meanwhile').waitFor()
    await openList(made)
    await rows(made).locator('button').first().click()
    await printed(made)
    await endsWell(made)
  })

  it('stops if somebody agrees to that', async () => {
    const made = await newVisit()
    await start(made)
    await printed(made)
    const stop = made.page.getByRole('button', { name: 'Stop', exact: true })
    await stop.click()
    await made.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    expect(await status(made).textContent()).toBe('In background…')
    await stop.click()
    await made.page.getByRole('button', { name: 'Stop it' }).click()
    await made.page.getByText('The run was stopped.').waitFor()
    expect(await lines(made).allTextContents()).toEqual(['before'])
  })

  it('marks the line in which it failed', async () => {
    const made = await newVisit()
    await start(made, 'print(1)\nerror("no")')
    await says(made, 'Failed in line 2')
    await made.page.locator('.cm-error-line').waitFor()
  })

  it('is not started without a token, nor with arguments that are no JSON', async () => {
    const made = await visit(browser, workbench)
    await start(made)
    await made.page.locator('.output .note').getByText('A token is needed first.').waitFor()
    const valid = await newVisit()
    await valid.page.getByText('Arguments', { exact: true }).click()
    const field = valid.page.getByLabel(/^JSON/)
    await field.fill('{')
    await start(valid)
    expect(await hasFocus(field)).toBe(true)
    await openList(valid)
    await valid.page.getByText('appear here').waitFor()
  })
})

describe('the list', () => {
  const texts = async (made: Visit) =>
    (await rows(made).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())

  it('has status, time and age of each run, the newest first', async () => {
    const made = await newVisit()
    await start(made, 'error("no")')
    await says(made, 'Failed in line 1')
    await start(made, 'return "second"')
    await says(made, 'Done')
    await start(made)
    await printed(made)
    await openList(made)
    await expect
      .poll(() => texts(made), POLL)
      .toEqual([
        expect.stringMatching(/^print\("before"\) .* Running (?:< )?\d+ s \d+ seconds? ago Stop$/),
        expect.stringMatching(/^return "second" Done (?:< )?\d+ s \d+ seconds? ago$/),
        expect.stringMatching(/^error\("no"\) Failed (?:< )?\d+ s \d+ seconds? ago$/),
      ])
  })

  it('learns of an end while it is open, and stops a run', async () => {
    const made = await newVisit()
    await start(made)
    await printed(made)
    await start(made)
    await printed(made)
    await openList(made)
    await rows(made).nth(1).waitFor()
    await rows(made).nth(1).getByRole('button', { name: /^Stop/ }).click()
    await made.page.getByRole('button', { name: 'Stop it' }).click()
    await rows(made).nth(1).getByText('Stopped').waitFor()
    workbench.letGo()
    await rows(made).nth(0).getByText('Done').waitFor()
    await rows(made).nth(0).locator('button').first().click()
    await made.page.locator('.tree').getByText('all done').waitFor()
  })

  it('has the runs that were started elsewhere, by their ids', async () => {
    const token = await newToken()
    const response = await fetch(`${workbench.origin}/execute`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, Prefer: 'respond-async' },
      body: JSON.stringify({ script: 'return "by an agent"' }),
    })
    const { run } = (await response.json()) as { run: { id: string } }
    const made = await visit(browser, workbench, { token })
    await openList(made)
    await rows(made).getByText(run.id).click()
    await made.page.locator('.tree').getByText('by an agent').waitFor()
  })

  it('says what it is for while it is empty, and has nothing of others', async () => {
    const made = await newVisit()
    await openList(made)
    await made.page.getByText('appear here').waitFor()
    expect(await rows(made).count()).toBe(0)
  })

  it('works by keyboard alone', async () => {
    const made = await newVisit()
    const { page } = made
    await made.write(WAITING)
    // The first may close a list of completions.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await tabTo(page, inBackground(made))
    await page.keyboard.press('Enter')
    await printed(made)
    expect(await hasFocus(inBackground(made))).toBe(true)
    const opener = page.getByRole('button', { name: 'Background runs' })
    await tabTo(page, opener)
    await page.keyboard.press('Enter')
    await rows(made).first().waitFor()
    await tabTo(page, rows(made).getByRole('button', { name: /^Stop/ }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: 'Stop it' }))
    await page.keyboard.press('Enter')
    await rows(made).getByText('Stopped').waitFor()
    await page.keyboard.press('Escape')
    expect(await hasFocus(opener)).toBe(true)
  })
})

it('a run that is not there any more says so once, and not again after a reload', async () => {
  const made = await newVisit()
  await made.page.evaluate(`sessionStorage.setItem('moonbucket.run', '${'0'.repeat(24)}')`)
  await made.page.reload()
  await made.page.locator('.output .note').waitFor()
  await made.page.reload()
  await made.page.locator('.first-steps').waitFor()
})
