/** A person at the workbench: what they see, and what they do. */
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

export type Visit = Awaited<ReturnType<typeof visit>>

const OVER = '.status:is([data-phase=good], [data-phase=bad], [data-phase=stopped])'

/** Until the test ends; without a token unless one is given. */
export async function visit(
  browser: Browser,
  { origin }: { readonly origin: string },
  { token, ...options }: BrowserContextOptions & { token?: string } = {},
) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  /** What the browser complained about: the policy, and errors nobody caught. */
  const complaints: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy|Refused/.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(origin)

  async function useToken(pasted: string): Promise<void> {
    await page.getByLabel('Token', { exact: true }).fill(pasted)
    await page.getByRole('button', { name: 'Use this token' }).click()
  }

  /** Replaces what is in the editor. */
  async function write(script: string): Promise<void> {
    await editorOf(page).click()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(script)
  }

  const run = () => page.getByRole('button', { name: 'Run', exact: true }).click()

  /** Runs a script and waits until it has ended, in whatever way. */
  async function runToEnd(script: string): Promise<void> {
    await write(script)
    await run()
    await page.locator(OVER).waitFor()
  }

  /** The text in the editor. */
  const script = async () => (await page.locator('.cm-line').allTextContents()).join('\n')

  if (token !== undefined) await useToken(token)
  return { page, complaints, useToken, write, run, runToEnd, script }
}

let owners = 0

/** Somebody new, with files that have these texts. */
export async function visitOwner(
  browser: Browser,
  workbench: { readonly origin: string; tokenOf(claims: { sub: string }): Promise<string> },
  files: Readonly<Record<string, string>> = {},
): Promise<Visit> {
  const token = await workbench.tokenOf({ sub: `owner-${++owners}` })
  const script = 'for path, text in pairs(args or {}) do file.save(path, text) end'
  const response = await fetch(`${workbench.origin}/execute`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({ script, args: files }),
  })
  expect(response.status).toBe(200)
  return visit(browser, workbench, { token })
}

export function editorOf(page: Page): Locator {
  return page.getByRole('textbox', { name: /Lua script/ })
}

/** Goes on with Tab until something has the focus, as somebody without a mouse does. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab')
    if (await hasFocus(target)) return
  }
  throw new Error(`Tab does not lead to ${String(target)}`)
}

export async function hasFocus(target: Locator): Promise<boolean> {
  if ((await target.count()) === 0) return false
  return target.first().evaluate((element) => {
    const { activeElement } = (
      element as unknown as { getRootNode(): { activeElement: unknown } }
    ).getRootNode()
    return activeElement === element
  })
}
