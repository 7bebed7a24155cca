/** The page of the bench says what was measured, and its packages are pinned like ours. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pageFiles } from '../bench/page.ts'
import { readResults } from '../bench/results.ts'

const BENCH = resolve(import.meta.dirname, '../bench')
const read = (name: string) => readFileSync(resolve(BENCH, name), 'utf8')

describe('RESULTS.md', () => {
  it('and its charts are what results.json gives', async () => {
    const files = await pageFiles(readResults())
    expect(files.size).toBeGreaterThan(1)
    for (const [name, text] of files) expect([name, read(name)]).toEqual([name, text])
  })

  it('has no chart that belongs to nothing', async () => {
    const files = await pageFiles(readResults())
    const charts = readdirSync(resolve(BENCH, 'charts')).map((name) => `charts/${name}`)
    expect(charts.sort()).toEqual([...files.keys()].filter((name) => name !== 'RESULTS.md').sort())
  })
})

describe('the packages to compare with', () => {
  const { dependencies } = JSON.parse(read('package.json')) as {
    dependencies: Record<string, string>
  }
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { version?: string; integrity?: string; resolved?: string }>
  }

  it('are pinned to one exact version each', () => {
    for (const [name, version] of Object.entries(dependencies)) {
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+$/)])
      expect([name, packages[`node_modules/${name}`]?.version]).toEqual([name, version])
    }
  })

  it('come from whichever registry the installer has, by their hashes', () => {
    const odd = Object.entries(packages).filter(
      ([place, { resolved, integrity }]) =>
        place !== '' && (resolved !== undefined || !integrity?.startsWith('sha512-')),
    )
    expect(odd.map(([place]) => place)).toEqual([])
  })

  it('are needed by nothing else', () => {
    const own = JSON.parse(read('../../package.json')) as Record<string, object>
    const others = { ...own.dependencies, ...own.devDependencies }
    const shared = Object.keys(dependencies).filter((name) => name in others)
    expect(shared).toEqual([])
    expect(existsSync(resolve(BENCH, '.npmrc'))).toBe(true)
  })
})
