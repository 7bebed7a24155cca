/** What is built: small enough, and nothing in it that the policy would refuse. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { buildWorkbench } from '../../infra/build/site/make-site.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** What the page needs before it can be used. */
const MAX_FIRST_BYTES = 180_000
/** What it loads later: the compiler, and the renderer of Markdown. */
const MAX_LATER_BYTES = 160_000

const folder = tempFolder()
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const files = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'))

beforeAll(() => buildWorkbench(folder))

const LATER = /^assets\/(?:html|lua|syntax-worker)-/
const gzipBytes = (names: readonly string[]) =>
  names.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0)

it('takes no longer to load than a picture', () => {
  const first = files().filter((name) => !LATER.test(name))
  expect(gzipBytes(first)).toBeLessThan(MAX_FIRST_BYTES)
  expect(gzipBytes(files().filter((name) => LATER.test(name)))).toBeLessThan(MAX_LATER_BYTES)
})

it('imports nothing at the start but what the page names', () => {
  const [main] = files().filter((name) => name.startsWith('assets/main-'))
  expect(read(main!).match(/\bfrom"[^"]*"|\bimport"[^"]*"/g)).toBeNull()
})

it('has names that change with the content, and a page that knows them', () => {
  const assets = readdirSync(join(folder, 'assets'), { encoding: 'utf8' })
    // For people, at an address that stays.
    .filter((name) => name !== 'licenses.txt')
    .sort()
  expect(assets).toEqual([
    expect.stringMatching(/^html-[0-9A-Z]{8}\.js$/),
    expect.stringMatching(/^icon-[0-9A-Z]{8}\.svg$/),
    expect.stringMatching(/^lua-[0-9A-Z]{8}\.wasm$/),
    expect.stringMatching(/^main-[0-9A-Z]{8}\.js$/),
    expect.stringMatching(/^syntax-worker-[0-9A-Z]{8}\.js$/),
    expect.stringMatching(/^theme-early-[0-9A-Z]{8}\.js$/),
    expect.stringMatching(/^workbench-[0-9A-Z]{8}\.css$/),
  ])
  const named = [...read('index.html').matchAll(/\/assets\/([\w.-]+)/g)].map(([, name]) => name!)
  // Imported by the page's script.
  expect(named.sort()).toEqual(assets.filter((name) => !name.startsWith('html-')))
})

it('is the same when it is built again', async () => {
  const before = files().map((name) => [name, read(name)])
  await buildWorkbench(folder)
  expect(files().map((name) => [name, read(name)])).toEqual(before)
})

it('has no inline script or style, and nothing from elsewhere', () => {
  const page = read('index.html')
  expect(page).not.toMatch(/<style|style=|<script>|\son\w+=/)
  expect(page).not.toMatch(/(?:src|href)="(?!\/(?!\/))/)
  for (const name of files()) {
    expect([name, read(name).match(/@import|url\(["']?http/g)]).toEqual([name, null])
  }
})

it('writes no HTML into the page', () => {
  const own = join(import.meta.dirname, '../../src/site/workbench')
  const sources = readdirSync(own, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  expect(sources.length).toBeGreaterThan(20)
  const writing =
    /srcdoc|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/
  const found = sources.filter((name) => writing.test(readFileSync(join(own, name), 'utf8')))
  // Into a frame without scripts.
  expect(found).toEqual(['files/markdown-frame.ts'])
})
