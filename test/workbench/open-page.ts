/** A person at the workbench: what they see, and what they do. */
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { StartedWorkbench } from './start-workbench.ts'

export interface Visit {
  readonly page: Page
  /** What the browser complained about: the policy, and errors nobody caught. */
  readonly complaints: readonly string[]
  useToken(token: string): Promise<void>
  /** Replaces what is in the editor. */
  write(script: string): Promise<void>
  run(): Promise<void>
  /** Runs a script and waits until it has ended, in whatever way. */
  runToEnd(script: string): Promise<void>
  /** The text in the editor. */
  script(): Promise<string>
}

const OVER = '.status:is([data-phase=good], [data-phase=bad], [data-phase=stopped])'

/** Until the test ends; without a token unless one is given. */
export async function visit(
  browser: Browser,
  { origin }: Pick<StartedWorkbench, 'origin'>,
  { token, ...options }: BrowserContextOptions & { token?: string } = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy|Refused/.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(origin)
  const made: Visit = {
    page,
    complaints,
    async useToken(pasted) {
      await page.getByLabel('Token', { exact: true }).fill(pasted)
      await page.getByRole('button', { name: 'Use this token' }).click()
    },
    async write(script) {
      await editorOf(page).click()
      await page.keyboard.press('Control+a')
      await page.keyboard.press('Delete')
      await page.keyboard.insertText(script)
    },
    run: () => page.getByRole('button', { name: 'Run', exact: true }).click(),
    async runToEnd(script) {
      await made.write(script)
      await made.run()
      await page.locator(OVER).waitFor()
    },
    async script() {
      return (await page.locator('.cm-line').allTextContents()).join('\n')
    },
  }
  if (token !== undefined) await made.useToken(token)
  return made
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
