/** One page of each kind in a real browser; `*.slow.test.ts` examines all of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signToken } from '../../support/sign-token.ts'
import { editorOf, hasFocus, visit, type Visit } from '../../workbench/open-page.ts'
import { attackHtml, attackSvg } from '../attacks.ts'
import { startCanary, type Canary } from '../canary.ts'
import { FILES, LISTED, REPORT } from './sample-files.ts'
import { startPages } from './start-pages.ts'

const pages = await startPages()

describe('the workbench', () => {
  async function newVisit(user: string, files?: Readonly<Record<string, string>>): Promise<Visit> {
    const tenant = `workbench of ${user}`
    if (files) await pages.store(tenant, files)
    const token = await signToken({ tenant, sub: 'alice' })
    return visit(pages.browser, pages, { token })
  }

  it('has a script at the first visit, which shows its log, result, files and plot', async () => {
    const made = await newVisit('somebody new')
    await made.run()
    const plot = made.page.locator('.inline-image img')
    await plot.waitFor()
    expect(
      await plot.evaluate((image) => (image as { naturalWidth?: number }).naturalWidth),
    ).toBeGreaterThan(0)
    expect(await made.page.locator('.output .files .file-name').allTextContents()).toEqual([
      'output/moon.csv',
      'output/moon.svg',
    ])
    expect(await made.page.getByRole('log').locator('div').count()).toBe(7)
    expect(await made.page.locator('.tree').textContent()).toContain('fullest_on')
    expect(made.complaints).toEqual([])
  })

  it('marks the line where a run failed, until the first edit', async () => {
    const made = await newVisit('an author')
    await made.runToEnd('local t = {}\nt.deeper.x = 1')
    expect(await made.page.locator('.cm-error-line').allTextContents()).toEqual(['t.deeper.x = 1'])
    const note = made.page.locator('.script-error')
    expect(await note.textContent()).toMatch(
      /Runtime error.*script:2: attempt to index a nil value/,
    )
    await note.locator('summary').click()
    expect(await note.locator('.traceback').textContent()).toContain('stack traceback')
    await made.page.getByRole('button', { name: 'Go to line 2' }).click()
    expect(await hasFocus(editorOf(made.page))).toBe(true)
    await made.page.keyboard.type('-')
    expect(await made.page.locator('.cm-error-line').count()).toBe(0)
  })

  it('renders Markdown where no script runs, and saves what is edited', async () => {
    const made = await newVisit('a writer', {
      'a.md': '# Title\n\n<script>top.title = 1</script>\n',
    })
    await made.page.locator('.browser').getByText('a.md').click()
    const dialog = made.page.getByRole('dialog')
    const frame = made.page.frameLocator('.markdown-frame')
    expect(await frame.locator('h1').textContent()).toBe('Title')
    expect(await frame.locator('script').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByRole('textbox').fill('# Other\n')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Saved.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await made.runToEnd('return io.open("a.md"):read("a")')
    expect(await made.page.locator('.tree').textContent()).toBe('"# Other\\n"')
    expect(made.complaints).toEqual([])
  })

  it('goes into folders and back, and shows what a run wrote', async () => {
    const made = await newVisit('an owner of files', { 'a/b/c.txt': 'x', 'z.txt': 'x' })
    const browser = made.page.locator('.browser')
    const open = (name: string) => browser.getByRole('button', { name, exact: true }).click()
    await browser.getByText('z.txt').waitFor()
    expect(await browser.locator('.files .file-name').allTextContents()).toEqual(['a/', 'z.txt'])
    await open('a/')
    await open('b/')
    await browser.getByText('c.txt').waitFor()
    const crumbs = made.page.getByRole('navigation', { name: 'Folder' })
    expect(await crumbs.getByRole('listitem').allTextContents()).toEqual(['Your files', 'a', 'b'])
    await made.runToEnd('file.save("a/b/new.txt", "x")')
    await browser.getByText('new.txt').waitFor()
    await crumbs.getByRole('button', { name: 'Your files' }).click()
    await browser.getByText('z.txt').waitFor()
  })

  it('uploads a file that a script then reads', async () => {
    const made = await newVisit('a sender')
    const asUpload = (name: string, text: string) => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(text),
    })
    await made.page.getByText('No files here yet.').waitFor()
    await made.page
      .getByLabel('Files to upload')
      .setInputFiles([asUpload('müll & co.txt', 'from my machine'), asUpload('second.txt', '2')])
    await made.page.getByText('2 files uploaded.').waitFor()
    await made.runToEnd('return io.open("müll & co.txt"):read("a")')
    expect(await made.page.locator('.tree').textContent()).toBe('"from my machine"')
  })

  it('shows markup as text in log lines, results, keys and names of files', async () => {
    const markup = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
    // A file's name has no slashes.
    const name = 'out/<img src=x onerror="document.title=1">.txt'
    const made = await newVisit('an attacker')
    await made.runToEnd(`
      local markup = ${JSON.stringify(markup)}
      print(markup)
      file.save(${JSON.stringify(name)}, markup)
      return { [markup] = markup }`)
    expect(await made.page.getByRole('log').textContent()).toBe(markup)
    expect(await made.page.locator('.tree .key').textContent()).toBe(markup)
    expect(await made.page.locator('.tree .string').textContent()).toBe(JSON.stringify(markup))
    const row = made.page.locator('.output .file-name')
    expect(await row.textContent()).toBe(name)
    await row.click()
    const dialog = made.page.getByRole('dialog')
    await dialog.locator('pre').waitFor()
    expect(await dialog.locator('pre').textContent()).toBe(markup)
    expect(await dialog.locator('h2').textContent()).toBe(name)
    expect(await made.page.title()).toBe('Moonbucket')
    expect(await made.page.locator('img[src=x], body script').count()).toBe(0)
    expect(made.complaints).toEqual([])
  })
})

describe('the documentation', () => {
  it('shows the address of the service it comes from', async () => {
    const page = await pages.open(`${pages.origin}/docs/agents`)
    const text = await page.locator('main').innerText()
    expect(text).not.toContain('moonbucket.example')
    expect(text).toContain(`curl -s ${pages.origin}/mcp`)
    expect(text).toContain(`"url": "${pages.origin}/mcp"`)
  })

  it('breaks no rule of its policy', async () => {
    const page = await pages.open('about:blank')
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('requestfailed', (request) => problems.push(request.url()))
    for (const path of ['/docs', '/docs/api', '/docs/lua/string.gsub']) {
      await page.goto(pages.origin + path, { waitUntil: 'networkidle' })
    }
    expect(problems).toEqual([])
  })

  it('leads from the list of functions to one of them and back', async () => {
    const page = await pages.open(`${pages.origin}/docs/lua`)
    await page.getByRole('link', { name: 'io.open', exact: true }).click()
    await page.waitForURL(/\/docs\/lua\/io\.open$/)
    expect(await page.locator('h1').textContent()).toBe('io.open')
    await page.getByRole('link', { name: 'Files', exact: true }).click()
    await page.waitForURL(/\/docs\/lua#io$/)
  })
})

describe('a folder page', () => {
  let link: string

  beforeAll(async () => {
    await pages.store('folders', FILES)
    link = await pages.linkTo('folders', 'output')
  })

  it('shows every name as text, folders first', async () => {
    const page = await pages.open(link)
    expect(await page.title()).toBe('output')
    expect(await page.locator('tbody .name bdi').allTextContents()).toEqual(LISTED)
    expect(await page.locator('img:not(.preview > img), script').count()).toBe(0)
  })

  it('opens its folders and files, and nothing above itself', async () => {
    const page = await pages.open(link)
    await page.getByRole('link', { name: '2026' }).click()
    await page.getByRole('link', { name: 'november' }).click()
    await page.locator('h1', { hasText: 'november' }).waitFor()
    const paths = await page
      .locator('a')
      .evaluateAll((links) =>
        (links as unknown as { href: string }[]).map(({ href }) =>
          new URL(href).searchParams.get('path'),
        ),
      )
    const own = 'output/2026/november/'
    expect(new Set(paths)).toEqual(new Set([own, `${own}deep.txt`]))
    await page.getByRole('link', { name: 'deep.txt', exact: true }).click()
    await page.waitForURL(/deep\.txt/)
    expect(await page.locator('pre').textContent()).toBe('deep')
  })
})

it('a report in Markdown is shown, and its source is a click away', async () => {
  const { link } = await pages.post('reports', 'reports', {
    title: 'Sales & more',
    content: REPORT,
  })
  const page = await pages.open(link)
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
  await page.getByText('| Region | Orders | Revenue |').waitFor()
})

it('an upload link is a page that sends files', async () => {
  const tenant = 'a sender'
  const { url } = await pages.post(tenant, 'links/upload', { path: 'inbox/' })
  const page = await pages.open(url)
  const buffer = Buffer.from('text')
  const files = ['a.txt', 'b.txt'].map((name) => ({ name, mimeType: 'text/plain', buffer }))
  await page.getByLabel('Choose files').setInputFiles(files)
  await page.getByText('Done: 2 files sent.').waitFor()
  const stored = await fetch(await pages.linkTo(tenant, 'inbox/b.txt'))
  expect(await stored.text()).toBe('text')
})

describe('what a stored file tries', () => {
  const tenant = 'attacks'
  /** Called by nobody; and by open pages, which have no defence. */
  let canary: Canary
  let openServer: Canary

  beforeAll(async () => {
    ;[canary, openServer] = [await startCanary(), await startCanary()]
  })
  afterAll(() => Promise.all([canary.stop(), openServer.stop()]))

  /** Opens a page with something to steal, and tells what it did until then. */
  async function watch(address: string) {
    const context = await pages.browser.newContext()
    await context.addCookies([{ name: 'session', value: 'secret', url: pages.origin }])
    const page = await context.newPage()
    const requests: string[] = []
    page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`))
    await page.goto(address)
    return async () => {
      const seen = { title: await page.title(), at: page.url(), requests }
      await context.close()
      return seen
    }
  }

  /** Whoever is opened before has had the time for everything that works on an open page. */
  async function attackOpenly(): Promise<void> {
    const home = openServer.origin
    const later = `<meta http-equiv="refresh" content="1; url=${home}/refreshed">`
    openServer.serve('/a.html', 'text/html', attackHtml(`${home}/html`))
    openServer.serve('/a.svg', 'image/svg+xml', attackSvg(`${home}/svg`))
    openServer.serve('/later.html', 'text/html', later)
    const ends = await Promise.all(
      ['a.html', 'a.svg', 'later.html'].map((path) => watch(`${home}/${path}`)),
    )
    const last = ['POST /html/markup-form', 'POST /svg/markup-form', 'GET /refreshed']
    await expect
      .poll(() => openServer.calls, { timeout: 30_000 })
      .toEqual(expect.arrayContaining(last))
    for (const kind of ['html/markup', 'html/script', 'svg/markup', 'svg/script']) {
      expect(openServer.calls.some((call) => call.includes(kind))).toBe(true)
    }
    await Promise.all(ends.map((end) => end()))
  }

  it('works from an open server, and does nothing from a link', async () => {
    const attacks = {
      'output/page.html': attackHtml(canary.origin),
      'output/page.htm': attackHtml(canary.origin),
      'output/drawing.svg': attackSvg(canary.origin),
      'output/data.xml': attackSvg(canary.origin),
      'output/note.md': attackHtml(canary.origin),
    }
    await pages.store(tenant, attacks)
    const links = await Promise.all(Object.keys(attacks).map((path) => pages.linkTo(tenant, path)))
    const watched = await Promise.all(links.map(watch))
    await attackOpenly()
    for (const [index, end] of watched.entries()) {
      const { title, at, requests } = await end()
      const link = links[index]!
      expect(at).toBe(link)
      expect(title).not.toContain('ran')
      // The browser tells of those that the policy blocked, too.
      expect(requests.filter((request) => !request.includes(canary.origin))).toEqual([
        `GET ${link}`,
      ])
    }
    expect(canary.calls).toEqual([])
  })

  it('has no origin of the service even when it runs', async () => {
    await pages.store(tenant, { 'output/origin.html': '<!doctype html><title>x</title><p>y' })
    const page = await pages.open(await pages.linkTo(tenant, 'output/origin.html'))
    const seen = await page.evaluate(`(() => {
      const attempt = (read) => { try { return read() } catch (error) { return error.name } }
      return [self.origin, attempt(() => document.cookie), attempt(() => localStorage.length)]
    })()`)
    expect(seen).toEqual(['null', 'SecurityError', 'SecurityError'])
  })
})
