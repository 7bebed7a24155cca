/** The Worker as it is deployed, with files in it, and a browser that opens its pages. */
import { join } from 'node:path'
import type { BrowserContextOptions, Page, PageScreenshotOptions } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { callerOf } from '../../support/caller.ts'
import { sharedBrowser } from '../start-browser.ts'
import { sharedWorker } from '../start-worker.ts'

export const DESKTOP = { viewport: { width: 1024, height: 768 } }

export async function startPages() {
  const [{ origin }, browser] = await Promise.all([sharedWorker(), sharedBrowser()])
  const caller = callerOf(() => origin)

  /** Sends JSON as alice of the tenant. */
  async function post(tenant: string, route: string, body: object) {
    const response = await caller.post(tenant, `/${route}`, body)
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return (await response.json()) as { link: string; url: string }
  }

  /** Opens an address, in a context of its own that ends with the test. */
  async function open(address: string, options: BrowserContextOptions = DESKTOP): Promise<Page> {
    const context = await browser.newContext({ ...options, acceptDownloads: true })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(address)
    return page
  }

  return {
    origin,
    browser,
    post,
    open,
    store: caller.store,
    linkTo: async (tenant: string, path: string) => (await post(tenant, 'links', { path })).link,
  }
}

/** A picture for people, who say with `PAGE_SHOTS` where they want it. */
export async function shoot(
  page: Page,
  name: string,
  options: PageScreenshotOptions = {},
): Promise<void> {
  const folder = process.env.PAGE_SHOTS
  if (folder) await page.screenshot({ ...options, path: join(folder, name) })
}
