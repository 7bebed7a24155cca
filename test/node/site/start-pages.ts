/** The Worker as it is deployed, with files in it, and a browser that opens its pages. */
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page, PageScreenshotOptions } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { callerOf } from '../../support/caller.ts'
import { startBrowser } from '../start-browser.ts'
import { sharedWorker } from '../start-worker.ts'

export const DESKTOP = { viewport: { width: 1024, height: 768 } }

export interface StartedPages {
  readonly origin: string
  readonly browser: Browser
  /** Sends JSON as alice of the tenant. */
  post(tenant: string, route: string, body: object): Promise<{ link: string; url: string }>
  /** Stores texts by their paths. */
  store(tenant: string, texts: Readonly<Record<string, string>>): Promise<unknown>
  linkTo(tenant: string, path: string): Promise<string>
  /** Opens an address, in a context of its own that ends with the test. */
  open(address: string, options?: BrowserContextOptions): Promise<Page>
  stop(): Promise<void>
}

export async function startPages(): Promise<StartedPages> {
  const [worker, browser] = await Promise.all([sharedWorker(), startBrowser()])
  const caller = callerOf(() => worker.origin)

  const post: StartedPages['post'] = async (tenant, route, body) => {
    const response = await caller.post(tenant, `/${route}`, body)
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return (await response.json()) as { link: string; url: string }
  }
  return {
    origin: worker.origin,
    browser,
    post,
    store: caller.store,
    linkTo: async (tenant, path) => (await post(tenant, 'links', { path })).link,
    async open(address, options = DESKTOP) {
      const context = await browser.newContext({ ...options, acceptDownloads: true })
      onTestFinished(() => context.close())
      const page = await context.newPage()
      await page.goto(address)
      return page
    },
    stop: () => browser.close(),
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
