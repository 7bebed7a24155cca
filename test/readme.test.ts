/** What the README says is true: its limits and its commands. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../src/limits.ts'

const root = resolve(import.meta.dirname, '..')
const readme = readFileSync(resolve(root, 'README.md'), 'utf8')

it('lists every limit with its default', () => {
  const rows = [...readme.matchAll(/^\| `(\w+)` +\| ([\d,]+) +\|/gm)].map(([, name, value]) => [
    name,
    Number(value!.replaceAll(',', '')),
  ])
  expect(Object.fromEntries(rows)).toEqual(DEFAULT_LIMITS)
})

it('names only scripts that exist', () => {
  const { scripts } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const named = [...readme.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name!)
  expect(named.filter((name) => !(name in scripts))).toEqual([])
})
