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

const attacks = page.slice(page.indexOf('## Attacks'), page.indexOf('## What is not defended'))

/** Items of a list, each in one line: lines are broken at spaces only. */
const itemsOf = (text: string) =>
  text
    .split(/^(?=- )/m)
    .filter((part) => part.startsWith('- '))
    .map((part) =>
      part
        .split(/^(?! |- )/m)[0]!
        .trim()
        .replaceAll(/\n +/g, ' '),
    )

const ENTRY =
  /^- \*\*(?<attack>.+?)\*\* — (?<defence>.+)\. Proof: (?<proof>`[\w/.-]+\.test\.ts` .+)\.$/

/** `- **attack** — defence. Proof: `file` `title`, `title`; `file` `title` ….` */
const entries = itemsOf(attacks).flatMap((item) => {
  const { attack, defence, proof } = ENTRY.exec(item)?.groups ?? {}
  return attack && defence && proof ? [{ attack, defence, proof }] : []
})

const proofs: Proof[] = entries.flatMap(({ attack, proof }) =>
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
    const groups = attacks.split(/^### /m).slice(1)
    expect(groups.length).toBeGreaterThanOrEqual(10)
    for (const group of groups) expect(itemsOf(group).length).toBeGreaterThan(2)
    // An entry whose proof cannot be read would be one without.
    expect(itemsOf(attacks).filter((item) => !ENTRY.test(item))).toEqual([])
    expect(attacks.match(/^ *[-*+|] /gm)).toHaveLength(entries.length)
    expect(entries.length).toBeGreaterThan(100)
  })

  it('has a defence, and a proof with a file and a title', () => {
    expect(entries.filter(({ defence }) => defence.length < 8)).toEqual([])
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
    const named = entries.flatMap(({ defence }) =>
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
