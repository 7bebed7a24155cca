/** Looks at a page in both schemes, at both sizes; axe looks at each. */
import { axeFaults, SERIOUS, widthFaults } from './axe-faults.ts'
import { DESKTOP, shoot, type startPages } from './start-pages.ts'

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }
const SCHEMES = ['light', 'dark'] as const

/** Returns what would keep somebody from using the page. */
export function looks(pages: Awaited<ReturnType<typeof startPages>>) {
  return async function lookAt(name: string, address: string): Promise<string[]> {
    const faults: string[] = []
    for (const colorScheme of SCHEMES) {
      for (const [size, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
        const page = await pages.open(address, { ...options, colorScheme })
        await shoot(page, `${name}-${size}-${colorScheme}.png`, { fullPage: true })
        // The page's policy would stop axe, too.
        const blank = await pages.open('about:blank', { ...options, colorScheme })
        await blank.setContent(await page.content())
        faults.push(...(await widthFaults(page)), ...(await axeFaults(blank, SERIOUS)))
      }
    }
    return faults
  }
}
