/** SECURITY.md names tests as proof: each of them is there, and each test of an attack is named. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const page = readFileSync(resolve(ROOT, 'SECURITY.md'), 'utf8')

interface Proof {
  readonly attack: string
  readonly file: string
  readonly titles: readonly string[]
}

/** Rows of three cells whose last is `file` `title` `title`; `file` `title` … */
const attackRows = page.split('\n').flatMap((line) => {
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
  const [, attack, defence, proof] = cells
  const isAttack = cells.length === 5 && /^`[\w/.-]+\.test\.ts`/.test(proof ?? '')
  return isAttack ? [{ attack: attack!, defence: defence!, proof: proof! }] : []
})

const proofs: Proof[] = attackRows.flatMap(({ attack, proof }) =>
  proof.split(/;\s+(?=`[\w/.-]+\.test\.ts`)/).map((part) => {
    const [file, ...titles] = [...part.matchAll(/`([^`]+)`/g)].map(([, text]) => text!)
    return { attack, file: file!, titles }
  }),
)

/** The titles of suites and tests in a source, as they are written. */
function titlesIn(source: string): Set<string> {
  const call =
    /(?:\b(?:it|test|describe)|\))\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`)\s*,/g
  const titles = [...source.matchAll(call)].map(([, a, b, c]) => a ?? b ?? c ?? '')
  return new Set(titles.map((title) => title.replaceAll(/\\(.)/g, '$1')))
}

const sourceOf = (file: string) => readFileSync(resolve(ROOT, 'test', file), 'utf8')

describe('an attack in SECURITY.md', () => {
  it('is there, in every group', () => {
    const attacks = page.slice(page.indexOf('## Attacks'), page.indexOf('## What is not defended'))
    const groups = attacks.split(/^### /m).slice(1)
    expect(groups.length).toBeGreaterThanOrEqual(10)
    for (const group of groups)
      expect(group.match(/^\| .*\.test\.ts`/gm)?.length ?? 0).toBeGreaterThan(2)
    const rows = attacks.match(/^\| (?!attack|-)/gm) ?? []
    // A row whose proof cannot be read would be a row without one.
    expect(rows).toHaveLength(attackRows.length)
  })

  it('has a defence, and a proof with a file and a title', () => {
    expect(attackRows.filter(({ defence }) => defence.length < 8)).toEqual([])
    expect(proofs.filter(({ titles }) => titles.length === 0)).toEqual([])
  })

  it('is proven by tests that exist', () => {
    const missing = proofs.flatMap(({ file, titles }) => {
      if (!existsSync(resolve(ROOT, 'test', file))) return [`${file} is not there`]
      const known = titlesIn(sourceOf(file))
      return titles.filter((title) => !known.has(title)).map((title) => `${file}: ${title}`)
    })
    expect(missing).toEqual([])
  })

  it('is proven by tests that run', () => {
    const skipping = [...new Set(proofs.map(({ file }) => file))].filter((file) =>
      /\b(?:it|test|describe)\.(?:skip|todo|only|fails)\b/.test(sourceOf(file)),
    )
    expect(skipping).toEqual([])
  })

  it('is defended by a module that exists, where one is named', () => {
    const named = attackRows.flatMap(({ defence }) =>
      [...defence.matchAll(/`([a-z][\w-]*\/[\w/.-]+)`/g)].map(([, path]) => path!),
    )
    expect(named.length).toBeGreaterThan(30)
    expect(
      named.filter(
        (path) => !existsSync(resolve(ROOT, path.startsWith('infra/') ? '' : 'src', path)),
      ),
    ).toEqual([])
  })
})

it('every file of test/hostile is named in SECURITY.md', () => {
  const files = readdirSync(resolve(ROOT, 'test/hostile')).filter((file) =>
    file.endsWith('.test.ts'),
  )
  expect(files.length).toBeGreaterThan(20)
  const named = new Set(proofs.map(({ file }) => file))
  expect(files.filter((file) => !named.has(`hostile/${file}`))).toEqual([])
})

it('the files of src that SECURITY.md speaks of are there', () => {
  const named = [...page.matchAll(/`(src\/[\w/.-]+|test\/[\w/.-]+)`/g)].map(([, path]) => path!)
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((path) => !existsSync(resolve(ROOT, path)))).toEqual([])
})
