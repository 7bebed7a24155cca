/** What scripts and files try on the person who looks at them: all of it stays text. */
import { afterAll, describe, expect, it } from 'vitest'
import { attackSvg } from '../node/attacks.ts'
import { startCanary } from '../node/canary.ts'
import { startBrowser } from '../node/start-browser.ts'
import { visit, type Visit } from './open-page.ts'
import { startWorkbench } from './start-workbench.ts'

const MARKUP = '<img src=x onerror="document.title=1"><script>document.title=1</script>'

const workbench = await startWorkbench()
const canary = await startCanary()
const browser = await startBrowser()
afterAll(() => Promise.all([browser.close(), canary.stop(), workbench.stop()]))

async function visitAs(user: string): Promise<Visit> {
  return visit(browser, workbench, { token: await workbench.tokenOf({ sub: user }) })
}

/** Nothing ran, nothing of it became an element, and nobody was called. */
async function expectHarmless({ page, complaints }: Visit): Promise<void> {
  expect(await page.title()).toBe('Moonbucket')
  expect(await page.locator('img[src=x], body script').count()).toBe(0)
  expect(canary.calls).toEqual([])
  expect(complaints).toEqual([])
}

describe('markup is shown as text', () => {
  it('in messages of errors', async () => {
    const made = await visitAs('errors')
    await made.runToEnd(`error(${JSON.stringify(MARKUP)}, 0)`)
    expect(await made.page.locator('.message').textContent()).toBe(MARKUP)
    await expectHarmless(made)
  })

  it('in cells of a CSV, and in its heading', async () => {
    const made = await visitAs('cells')
    const cell = `"${MARKUP.replaceAll('"', '""')}"`
    await made.runToEnd(`file.save("t.csv", ${JSON.stringify(`${cell},b\n${cell},=1+1\n`)})`)
    await made.page.locator('.output .file-name').click()
    const dialog = made.page.getByRole('dialog')
    await dialog.locator('td').first().waitFor()
    expect(await dialog.locator('th').first().textContent()).toBe(MARKUP)
    expect(await dialog.locator('td').allTextContents()).toEqual([MARKUP, '=1+1'])
    await expectHarmless(made)
  })

  it('in the claims of a token', async () => {
    const made = await visit(browser, workbench, {
      token: await workbench.tokenOf({ tenant: MARKUP, sub: MARKUP }),
    })
    expect(await made.page.locator('.token-held dd').first().textContent()).toBe(MARKUP)
    await expectHarmless(made)
  })
})

describe('an SVG', () => {
  it('is a picture: its scripts do not run and it calls nobody', async () => {
    const made = await visitAs('pictures')
    await made.runToEnd(`file.save("a.svg", ${luaText(attackSvg(canary.origin))})`)
    await made.page.locator('.output .file-name').click()
    const picture = made.page.getByRole('dialog').locator('img')
    await picture.waitFor()
    expect(await picture.getAttribute('src')).toMatch(/^blob:/)
    await expectHarmless(made)
  })

  it('that is broken is told of, and the rest of the page goes on', async () => {
    const made = await visitAs('broken')
    await made.runToEnd('file.save("b.svg", "<svg") return "fine"')
    expect(await made.page.locator('.tree').textContent()).toBe('"fine"')
    await made.page.locator('.output .file-name').click()
    await made.page.getByText('The image cannot be shown').waitFor()
  })
})

describe('the policy', () => {
  it('blocks a script that got into the page after all', async () => {
    const made = await visitAs('policy')
    const blocked = await made.page.evaluate(`new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => resolve(event.violatedDirective))
      const script = document.createElement('script')
      script.textContent = 'document.title = "ran"'
      document.body.append(script)
    })`)
    expect(blocked).toBe('script-src-elem')
    expect(await made.page.title()).toBe('Moonbucket')
  })

  it('blocks requests to anybody else', async () => {
    const made = await visitAs('policy')
    const outcome = await made.page.evaluate(
      `fetch(${JSON.stringify(canary.origin)}).then(() => 'sent', () => 'blocked')`,
    )
    expect([outcome, canary.calls]).toEqual(['blocked', []])
  })
})

/** Any text, in brackets that it does not contain. */
function luaText(text: string): string {
  return `[====[${text}]====]`
}
