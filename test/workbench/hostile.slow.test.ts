/** What scripts and files try on the person who looks at them: all of it stays text. */
import { afterAll, describe, expect, it } from 'vitest'
import { attackHtml, attackSvg } from '../node/attacks.ts'
import { startCanary } from '../node/canary.ts'
import { sharedBrowser } from '../node/start-browser.ts'
import { visit, type Visit } from './open-page.ts'
import { startWorkbench } from './start-workbench.ts'

const MARKUP = '<img src=x onerror="document.title=1"><script>document.title=1</script>'

const workbench = await startWorkbench()
const canary = await startCanary()
const browser = await sharedBrowser()
afterAll(() => Promise.all([canary.stop(), workbench.stop()]))

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
    await dialog.getByRole('cell').first().getByRole('button').click()
    expect(await dialog.locator('.table-detail').textContent()).toBe(MARKUP)
    expect(await dialog.getByRole('cell', { name: '=1+1' }).count()).toBe(1)
    await expectHarmless(made)
  })

  it('in columns and cells of a result', async () => {
    const made = await visitAs('tables')
    await made.runToEnd(`return {{ [ ${luaText('<b>')} ] = ${luaText('<i onclick=1>')} }}`)
    expect(await made.page.locator('.output th').textContent()).toBe('<b>')
    expect(await made.page.locator('.output td').textContent()).toBe('<i onclick=1>')
    await expectHarmless(made)
  })

  it('in what the compiler says while somebody types', async () => {
    const made = await visitAs('compiler')
    await made.write(`x = = "${MARKUP.replaceAll('"', "'")}"`)
    await made.page.locator('.cm-error-line').waitFor()
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

  it('that is broken is reported, and the rest of the page works', async () => {
    const made = await visitAs('broken')
    await made.runToEnd('file.save("b.svg", "<svg") return "fine"')
    expect(await made.page.locator('.tree').textContent()).toBe('"fine"')
    await made.page.locator('.output .file-name').click()
    await made.page.getByText('The image cannot be shown').waitFor()
  })
})

describe('Markdown', () => {
  it('runs nothing, calls nobody and leads nowhere by itself', async () => {
    const made = await visitAs('markdown')
    const attack = [
      attackHtml(canary.origin),
      `![a](${canary.origin}/image) [b](javascript:document.title=1) <${canary.origin}/auto>`,
      '```',
      '</pre><script>top.document.title=1</script>',
      '```',
    ].join('\n\n')
    await made.runToEnd(`file.save("a.md", ${luaText(attack)})`)
    await made.page.locator('.output .file-name').click()
    const frame = made.page.frameLocator('.markdown-frame')
    await frame.locator('pre').first().waitFor()
    expect(await made.page.locator('.markdown-frame').getAttribute('sandbox')).not.toContain(
      'allow-scripts',
    )
    expect(await frame.locator('script, form, iframe, [onclick], [onerror]').count()).toBe(0)
    expect(await frame.locator('a[href^="javascript"]').count()).toBe(0)
    expect(await frame.locator('a[href^="http"]:not([target=_blank])').count()).toBe(0)
    await expectHarmless(made)
  })
})

describe('the policy', () => {
  it('lets no page compile WebAssembly, but the worker that checks scripts', async () => {
    const made = await visitAs('policy')
    const compiling = `WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))
      .then(() => 'compiled', (error) => error.name)`
    expect(await made.page.evaluate(compiling)).toBe('CompileError')
    const worker = made.page.waitForEvent('worker')
    await made.write('x = = 1')
    await made.page.locator('.cm-error-line').waitFor()
    expect(await (await worker).evaluate(compiling)).toBe('compiled')
    // Later: the browser allows it to what tests evaluate at once.
    const evaluating = `new Promise((resolve) => setTimeout(() => {
      try { resolve((0, eval)('1')) } catch (error) { resolve(error.name) }
    }))`
    expect(await (await worker).evaluate(evaluating)).toBe('EvalError')
  })

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
