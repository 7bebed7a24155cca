/** `search` finds the lines that GNU grep finds, for random patterns and texts. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFs } from '../support/make-fs.ts'
import { Random } from '../support/random.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PAIRS = 200
const LETTERS = ['a', 'b', 'c', 'A', '0', '1', ' ', '_', '-', 'é', '日']

/** In the syntax that both have in common. */
function patternOf(random: Random): string {
  const branch = () =>
    `${random.chance(15) ? '^' : ''}${sequence(random, 2)}${random.chance(15) ? '$' : ''}`
  return random.chance(20) ? `${branch()}|${branch()}` : branch()
}

function sequence(random: Random, depth: number): string {
  return Array.from({ length: 1 + random.below(4) }, () => piece(random, depth)).join('')
}

function piece(random: Random, depth: number): string {
  const counts = ['', '', '', '*', '+', '?', '{2}', '{0,2}', '{1,}']
  return atom(random, depth) + random.pick(counts)
}

function atom(random: Random, depth: number): string {
  const kind = random.below(depth > 0 ? 10 : 8)
  if (kind < 5) return random.pick(LETTERS)
  if (kind === 5) return '.'
  if (kind === 6)
    return random.pick(['[a-c]', '[^a ]', '[0-9]', '[ab_-]', '[[:alpha:]]', '[^[:space:]0]'])
  if (kind === 7) return random.pick(['\\.', '\\(', '\\*', '\\$'])
  const inner = () => sequence(random, depth - 1)
  return random.chance(50) ? `(${inner()}|${inner()})` : `(${inner()})`
}

function textOf(random: Random): string {
  const marks = [...LETTERS, '.', '(', '*', '$', 'a', 'b', 'c', ' ']
  const line = () => Array.from({ length: random.below(30) }, () => random.pick(marks)).join('')
  const lines = Array.from({ length: random.chance(10) ? 5_000 : 1 + random.below(60) }, line)
  return lines.join('\n') + (random.chance(50) ? '\n' : '')
}

function grep(folder: string, pattern: string): string[] {
  const { stdout, status } = spawnSync('grep', ['-nE', '-e', pattern, 'text'], {
    cwd: folder,
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  expect([pattern, status === 0 || status === 1]).toEqual([pattern, true])
  return stdout.split('\n').slice(0, -1)
}

it(`${PAIRS} patterns and texts give the same lines as grep -E`, async () => {
  const { fs, content } = await makeFs()
  const random = new Random(26)
  const folder = tempFolder()
  let found = 0
  for (let pair = 0; pair < PAIRS; pair++) {
    // ASCII classes: those of grep know the letters of all languages.
    const pattern = patternOf(random)
    const text = textOf(random)
    const body = /\[\[?\^?\[:/.test(pattern) ? text.replaceAll(/[^\n -~]/g, 'x') : text
    writeFileSync(join(folder, 'text'), body)
    await content('text', { method: 'PUT', body })
    const lines: string[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await fs<{ matches: { line: number; text: string }[]; cursor: string | null }>(
        'search',
        { pattern, limit: 1000, ...(cursor && { cursor }) },
      )
      lines.push(...page.matches.map((match) => `${match.line}:${match.text}`))
      cursor = page.cursor
    }
    expect([pattern, lines]).toEqual([pattern, grep(folder, pattern)])
    found += lines.length
  }
  expect(found).toBeGreaterThan(1_000)
})
