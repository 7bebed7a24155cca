/** One version, wherever it is written. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { VERSION } from '../src/version.ts'

const read = (name: string) => readFileSync(resolve(import.meta.dirname, '..', name), 'utf8')

it.each([
  ['package.json', /^ {2}"version": "([^"]+)"/m],
  ['package-lock.json', /^ {2}"version": "([^"]+)"/m],
  ['CHANGELOG.md', /^## \[([^\]]+)\] - \d{4}-\d\d-\d\d$/m],
])('%s is about the release that answers', (name, version) => {
  expect(version.exec(read(name))?.[1]).toBe(VERSION)
})

it('CHANGELOG.md says where to find what changed, release by release', () => {
  const text = read('CHANGELOG.md')
  const releases = [...text.matchAll(/^## \[(.+?)\]/gm)].map(([, name]) => name)
  expect(releases).toEqual([...text.matchAll(/^\[(.+?)\]: /gm)].map(([, name]) => name))
})
