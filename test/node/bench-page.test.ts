/** The page of the bench says what was measured, and its packages are pinned like ours. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compare, findRow } from '../bench/compare.ts'
import { exponentOf, quantile, takeTurns } from '../bench/measure.ts'
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

  it('changes with a figure', async () => {
    const results = readResults()
    const changed = structuredClone(results)
    const comparison = changed.vm!.comparisons.find(({ hasChart }) => hasChart)!
    comparison.rows[1]!.ratio!.median *= 2
    const [before, after] = [await pageFiles(results), await pageFiles(changed)]
    const differing = [...before.keys()].filter((name) => before.get(name) !== after.get(name))
    expect(differing).toEqual(['RESULTS.md', `charts/${comparison.id}.svg`])
  })

  it('has charts with a title, a description and named axes', async () => {
    const charts = [...(await pageFiles(readResults()))].filter(([name]) => name.endsWith('.svg'))
    expect(charts.length).toBeGreaterThan(5)
    for (const [name, text] of charts) {
      expect([name, text]).toEqual([
        name,
        expect.stringMatching(/<title id="title">[^<]+<\/title>/),
      ])
      expect([name, text]).toEqual([name, expect.stringMatching(/<desc id="description">[^<]+</)])
      expect([name, text]).toEqual([name, expect.stringMatching(/ours = 1|\(logarithmic\)/)])
      expect([name, text]).toEqual([name, expect.not.stringMatching(/NaN|undefined|Infinity/)])
    }
  })
})

describe('the harness', () => {
  it('lets contestants take turns', async () => {
    const order: string[] = []
    const turn = (name: string) => () => order.push(name)
    await takeTurns({ a: turn('a'), b: turn('b') }, { rounds: 3, budgetMs: 60_000, warmUps: 1 })
    expect(order.join('')).toBe('abababab')
  })

  it('divides each round by ours of the same round', async () => {
    const ours = [1, 10, 100, 1000]
    const rounds = { ours: ours.values(), other: ours.map((figure) => figure * 3).values() }
    const turn = (name: keyof typeof rounds) => () => rounds[name].next().value!
    const contestants = [
      { name: 'ours', turn: turn('ours') },
      { name: 'other', turn: turn('other') },
    ]
    const compared = await compare({ id: 'x', title: 'x', unit: 'ms' }, contestants, {
      rounds: 3,
      budgetMs: 60_000,
      warmUps: 0,
    })
    expect(findRow(compared, 'other')?.ratio).toEqual({ median: 3, q1: 3, q3: 3 })
  })

  it('tells in its row who cannot take part', async () => {
    const broken = () => {
      throw new Error('did not install: no such package\nand more')
    }
    const contestants = [
      { name: 'ours', turn: () => 1 },
      { name: 'broken', turn: broken },
    ]
    const { rows } = await compare({ id: 'x', title: 'x', unit: 'ms' }, contestants, {
      rounds: 3,
      budgetMs: 60_000,
    })
    expect(rows[1]).toEqual({ name: 'broken', missing: 'did not install: no such package' })
  })

  it.each([
    [1, [10, 100, 1000]],
    [2, [1, 100, 10_000]],
    [0, [7, 7, 7]],
  ])('fits an exponent of %j to %j', (exponent, values) => {
    const points = values.map((y, i) => ({ x: 10 ** i, y }))
    expect(exponentOf(points)).toBeCloseTo(exponent)
  })

  it('finds quantiles between figures', () => {
    expect([0, 0.25, 0.5, 1].map((part) => quantile([4, 1, 3, 2], part))).toEqual([1, 1.75, 2.5, 4])
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
