/** What is built: small enough, and nothing in it that the policy would refuse. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { buildWorkbench } from '../../infra/build/site/make-site.ts'
import { tempFolder } from '../support/temp-folder.ts'

const MAX_GZIP_BYTES = 160 * 1024

const folder = tempFolder()
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const files = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'))

beforeAll(() => buildWorkbench(folder))

it('takes no longer to load than a picture', () => {
  const bytes = files().map((name) => gzipSync(read(name)).length)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_GZIP_BYTES)
})

it('has names that change with the content, and a page that knows them', () => {
  const assets = readdirSync(join(folder, 'assets'), { encoding: 'utf8' })
    // For people, at an address that stays.
    .filter((name) => name !== 'licenses.txt')
    .sort()
  expect(assets).toEqual([
    expect.stringMatching(/^icon-[0-9A-Z]{8}\.svg$/),
    expect.stringMatching(/^main-[0-9A-Z]{8}\.js$/),
    expect.stringMatching(/^theme-early-[0-9A-Z]{8}\.js$/),
    expect.stringMatching(/^workbench-[0-9A-Z]{8}\.css$/),
  ])
  const named = [...read('index.html').matchAll(/\/assets\/([\w.-]+)/g)].map(([, name]) => name!)
  expect(named.sort()).toEqual(assets)
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

it('never writes HTML', () => {
  const own = join(import.meta.dirname, '../../src/site/workbench')
  const sources = readdirSync(own, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  expect(sources.length).toBeGreaterThan(20)
  const writing = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/
  expect(sources.filter((name) => writing.test(readFileSync(join(own, name), 'utf8')))).toEqual([])
})
