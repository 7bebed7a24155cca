/** Links opened in a real browser: what a person sees, and what stored pages try and cannot do. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { fetchAnew } from '../support/fetch-anew.ts'
import { signToken } from '../support/sign-token.ts'
import { isAll } from '../support/tier.ts'
import { attackHtml, attackSvg } from './attacks.ts'
import { startCanary, type Canary } from './canary.ts'
import { startBrowser } from './start-browser.ts'
import { sharedWorker } from './start-worker.ts'

const DESKTOP = { viewport: { width: 1024, height: 768 } }
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }
/** Under `npm run test:all` both sizes in both schemes. */
const LOOKS = [
  ['desktop', DESKTOP, 'light'],
  ['phone', PHONE, 'dark'],
  ['desktop', DESKTOP, 'dark'],
  ['phone', PHONE, 'light'],
] as const

const REPORT = `# Sales of *November*

Totals by region, from [the source](https://example.com/data). See also www.example.com.

| Region | Orders | Revenue |
|:-------|-------:|--------:|
| North  |  1,204 | € 88,120.00 |
| South  |    967 | € 61,940.50 |

## Still to do

- [x] fetch the orders
- [ ] check \`refunds\`
  - those of *October* too

> Figures before audit.

\`\`\`sql
select region, count(*), sum(total) from orders where placed_at >= '2026-11-01' group by region order by 2 desc
\`\`\`

<script>document.title = 'ran'</script>

1. First[^1]
2. ~~Second~~

[^1]: A note.
`

let folder: string
let shots: string
let worker: Awaited<ReturnType<typeof sharedWorker>>
let browser: Browser
let canary: Canary

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'moonbucket-pages-'))
  shots = process.env.PAGE_SHOTS ?? folder
  worker = await sharedWorker()
  canary = await startCanary()
  browser = await startBrowser()
})

afterAll(async () => {
  await browser?.close()
  await canary?.stop()
  rmSync(folder, { recursive: true })
})

async function post(tenant: string, route: string, body: object) {
  const response = await fetchAnew(`${worker.origin}/${route}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await signToken({ tenant, sub: 'alice' }, { ttlS: 60 })}` },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  return (await response.json()) as Record<string, never> & { link: string; url: string }
}

async function store(tenant: string, texts: Record<string, string>): Promise<void> {
  const script = 'for path, text in pairs(args) do io.open(path, "w"):write(text):close() end'
  await post(tenant, 'execute', { script, args: texts })
}

async function linkTo(tenant: string, path: string): Promise<string> {
  return (await post(tenant, 'links', { path })).link
}

async function open(address: string, options: BrowserContextOptions = DESKTOP): Promise<Page> {
  const context = await browser.newContext({ ...options, acceptDownloads: true })
  const page = await context.newPage()
  await page.goto(address)
  return page
}

interface AxeResults {
  readonly violations: { id: string; impact: string; nodes: { html: string }[] }[]
}

/** What axe finds that would keep somebody from using the page, without the policy that stops axe too. */
async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

/** The same page in either scheme, at either size; axe looks at each. */
async function lookAt(name: string, address: string): Promise<string[]> {
  const faults: string[] = []
  for (const [size, options, colorScheme] of LOOKS.slice(0, isAll ? 4 : 2)) {
    const page = await open(address, { ...options, colorScheme })
    const path = join(shots, `${name}-${size}-${colorScheme}.png`)
    await page.screenshot({ path, fullPage: true })
    const isWider = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    if (isWider) faults.push(`${size}: scrolls sideways`)
    const blank = await open('about:blank', { ...options, colorScheme })
    await blank.setContent(await page.content())
    faults.push(...(await seriousFaults(blank)))
    await Promise.all([page.context().close(), blank.context().close()])
  }
  return faults
}

describe('a folder page', () => {
  const tenant = 'folders'
  const NAMES = {
    'output/2026/november/deep.txt': 'deep',
    'output/été 日本.csv': 'a,b\n1,2\n',
    'output/<img src=x onerror=alert(1)>.txt': 'x',
    [`output/"quoted" & 'more'.txt`]: 'x',
    'output/invoice\u202efdp.exe': 'x',
    'output/שלום.txt': 'x',
    [`output/${'a-very-long-name-'.repeat(9)}.json`]: 'x'.repeat(123_456),
    'output/report.md': REPORT,
    'output/rows.csv': 'x'.repeat(1_234_567),
    'output/chart.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  }
  let link: string

  beforeAll(async () => {
    await store(tenant, NAMES)
    link = await linkTo(tenant, 'output')
  })

  it('shows every name as text, folders first', async () => {
    const page = await open(link)
    expect(await page.title()).toBe('output')
    expect(await page.locator('tbody .name bdi').allTextContents()).toEqual([
      '2026',
      `"quoted" & 'more'.txt`,
      '<img src=x onerror=alert(1)>.txt',
      `${'a-very-long-name-'.repeat(9)}.json`,
      'chart.svg',
      'invoice\ufffdfdp.exe',
      'report.md',
      'rows.csv',
      'été 日本.csv',
      'שלום.txt',
    ])
    expect(await page.locator('img, script').count()).toBe(0)
    await page.context().close()
  })

  it('opens its folders and files, and nothing above itself', async () => {
    const page = await open(link)
    await page.getByRole('link', { name: '2026' }).click()
    await page.getByRole('link', { name: 'november' }).click()
    expect(await page.locator('h1').textContent()).toBe('november')
    const paths = await page
      .locator('a')
      .evaluateAll((links) =>
        (links as unknown as { href: string }[]).map(({ href }) =>
          new URL(href).searchParams.get('path'),
        ),
      )
    expect(new Set(paths)).toEqual(new Set(['output/2026/november/deep.txt']))
    await page.getByRole('link', { name: 'deep.txt', exact: true }).click()
    expect(await page.textContent('body')).toBe('deep')
    await page.context().close()
  })

  it('saves a file under its own name', async () => {
    const page = await open(link)
    const row = page.getByRole('row', { name: 'été 日本.csv' })
    const downloading = page.waitForEvent('download')
    await row.getByRole('link', { name: 'Download' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('été 日本.csv')
    expect(readFileSync(await download.path(), 'utf8')).toBe('a,b\n1,2\n')
    await page.context().close()
  })

  it('is used by the keyboard alone', async () => {
    const page = await open(link)
    await page.keyboard.press('Tab')
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
    expect(outline).toBe('solid')
    await page.keyboard.press('Enter')
    await page.waitForURL(/2026/)
    expect(await page.locator('h1').textContent()).toBe('2026')
    await page.context().close()
  })

  it('is whole without scripts', async () => {
    const page = await open(link, { ...DESKTOP, javaScriptEnabled: false })
    expect(await page.locator('tbody tr').count()).toBe(Object.keys(NAMES).length)
    await page.context().close()
  })

  it('suits everybody, in light and dark, on desktop and phone', async () => {
    expect(await lookAt('folder', link)).toEqual([])
  })
})

describe('a report', () => {
  const tenant = 'reports'

  it('in Markdown is shown, and its source is a click away', async () => {
    const { link } = await post(tenant, 'reports', { title: 'Sales & more', content: REPORT })
    const page = await open(link)
    expect(await page.title()).toBe('Sales & more')
    expect(await page.locator('article h1').allTextContents()).toEqual([
      'Sales & more',
      'Sales of November',
    ])
    expect(await page.locator('article table td').first().textContent()).toBe('North')
    expect(await page.locator('article input:checked').count()).toBe(1)
    expect(await page.locator('article').textContent()).toContain(
      `<script>document.title = 'ran'</script>`,
    )
    await page.getByRole('link', { name: 'Source', exact: true }).click()
    expect(await page.textContent('body')).toContain('| Region | Orders | Revenue |')
    await page.context().close()
    expect(await lookAt('markdown', link)).toEqual([])
  })

  it('in HTML is shown in a page of its own', async () => {
    const content = '<p>All <b>good</b>.</p><table><tr><th>a</th><td>1</td></tr></table>'
    const { link } = await post(tenant, 'reports', { title: 'Totals <3', content, format: 'html' })
    const page = await open(link)
    expect([await page.title(), await page.locator('h1').textContent()]).toEqual([
      'Totals <3',
      'Totals <3',
    ])
    await page.screenshot({ path: join(shots, 'html-report-desktop-light.png') })
    await page.context().close()
  })
})

describe('a link that does not open', () => {
  it('says so on a page that suits everybody', async () => {
    const link = await linkTo('folders', 'output')
    expect(await lookAt('error', link.replace('output', 'other'))).toEqual([])
  })
})

describe('an upload link', () => {
  it('takes a large file from a page of another origin, and nothing beyond its limit', async () => {
    const tenant = 'uploads'
    const { url } = await post(tenant, 'links/upload', { path: 'in.bin', max_bytes: 20_000_000 })
    canary.serve('/upload.html', 'text/html', '<title>upload</title>')
    const page = await open(`${canary.origin}/upload.html`)
    const send = (bytes: number) =>
      page.evaluate(
        async ([address, count]) => {
          const body = new Blob([new Uint8Array(count as number).fill(97)])
          const response = await fetch(address as string, { method: 'PUT', body })
          return [response.status, await response.json()] as [number, object]
        },
        [url, bytes] as const,
      )
    expect((await send(20_000_001))[0]).toBe(413)
    expect(await send(20_000_000)).toEqual([201, { path: 'in.bin', bytes: 20_000_000 }])
    const stored = await (await fetchAnew(await linkTo(tenant, 'in.bin'))).bytes()
    expect([stored.length, stored.every((byte) => byte === 97)]).toEqual([20_000_000, true])
    expect((await send(1))[0]).toBe(409)
    await page.context().close()
  })
})

describe('what a stored file tries', () => {
  const tenant = 'attacks'

  /** Opens the page with something to steal, and tells what it did until it was told to leave. */
  async function watch(address: string, untilDone: (page: Page) => Promise<unknown>) {
    const context = await browser.newContext()
    await context.addCookies([{ name: 'session', value: 'secret', url: worker.origin }])
    const page = await context.newPage()
    const requests: string[] = []
    page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`))
    await page.goto(address)
    await untilDone(page)
    const title = await page.title()
    const at = page.url()
    await context.close()
    return { title, at, requests }
  }

  it.each([
    ['html', 'text/html', attackHtml],
    ['svg', 'image/svg+xml', attackSvg],
  ] as const)('works from an open server: %s', async (name, type, attack) => {
    const before = canary.calls.length
    const isSeen = (way: string) => canary.calls.slice(before).some((call) => call.includes(way))
    canary.serve(`/attack.${name}`, type, attack(canary.origin))
    await watch(`${canary.origin}/attack.${name}`, () =>
      vi.waitUntil(() => isSeen('script') && isSeen('markup'), { timeout: 30_000 }),
    )
  })

  it('does nothing from a link', async () => {
    const files = {
      'page.html': attackHtml,
      'page.htm': attackHtml,
      'drawing.svg': attackSvg,
      'data.xml': attackSvg,
      'note.md': attackHtml,
    }
    const before = canary.calls.length
    const watching = Object.entries(files).map(async ([name, attack]) => {
      await store(tenant, { [`output/${name}`]: attack(canary.origin) })
      const link = await linkTo(tenant, `output/${name}`)
      // As long as it takes on an open page, and longer.
      const { title, at, requests } = await watch(link, (page) => page.waitForTimeout(1500))
      expect([at, title]).toEqual([link, expect.not.stringContaining('ran')])
      const others = requests.filter((request) => !request.includes(canary.origin))
      expect(others).toEqual([`GET ${link}`])
    })
    await Promise.all(watching)
    expect(canary.calls.slice(before)).toEqual([])
  })

  it('has no origin of the service even when it runs', async () => {
    await store(tenant, { 'output/origin.html': '<!doctype html><title>x</title><p>y' })
    const page = await open(await linkTo(tenant, 'output/origin.html'))
    const seen = await page.evaluate(`(() => {
      const attempt = (read) => { try { return read() } catch (error) { return error.name } }
      return [self.origin, attempt(() => document.cookie), attempt(() => localStorage.length)]
    })()`)
    expect(seen).toEqual(['null', 'SecurityError', 'SecurityError'])
    await page.context().close()
  })
})
