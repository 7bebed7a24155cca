/** What would keep somebody from using a page. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface AxeResults {
  readonly violations: { id: string; impact: string; nodes: { html: string }[] }[]
}

/** What axe finds; the page's own policy must not keep it from running. */
export async function axeFaults(page: Page, impacts?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })")
  return violations
    .filter(({ impact }) => impacts?.includes(impact) ?? true)
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

export const SERIOUS = ['serious', 'critical']

export async function widthFaults(page: Page): Promise<string[]> {
  const isWider = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  return isWider ? ['scrolls sideways'] : []
}
