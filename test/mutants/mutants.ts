/**
 * `npm run mutants`: what each tier of the tests catches. Draws mutants of the source, runs the tests
 * on each and lists the survivors. Results are kept in `dist/mutants`: a stopped run resumes.
 *
 *   --count 200   how many     --tier all   run `npm run test:all` on survivors of `npm test`
 *   --seed 1      which        --only 3,17  these again
 */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { installPackages } from '../../infra/install-packages.ts'
import { drawMutants, type Mutant } from './draw.ts'
import { readCoverage } from './coverage.ts'
import { trialOf, type Outcome } from './trial.ts'
import { makeWorkspace } from './workspace.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'dist/mutants')
const NAMES = ['auth', 'files', 'storage', 'vm', 'links', 'operations', 'http', 'mcp', 'sdk']
const AT_ONCE = 2

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    tier: { type: 'string', default: 'test' },
    only: { type: 'string' },
  },
})
const isAll = values.tier === 'all'
const only = values.only?.split(',').map(Number)

// Ends through `exit`, which ends the runs under way as well.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

installPackages(import.meta.dirname, () => console.info('npm ci in test/mutants (once)'))
const mutants = await drawMutants(
  ROOT,
  NAMES.map((name) => `src/${name}`),
  { count: Number(values.count), seed: Number(values.seed) },
)
// Another draw, or another source, has results of its own.
const draw = createHash('sha256').update(JSON.stringify(mutants)).digest('hex').slice(0, 12)
const results = join(FOLDER, draw)
mkdirSync(results, { recursive: true })
const record = join(results, 'outcomes.jsonl')
const outcomes = new Map(readOutcomes(record).map((outcome) => [outcome.id, outcome]))
const workspaces = Array.from({ length: AT_ONCE }, (_, n) =>
  makeWorkspace(ROOT, join(FOLDER, `workspace-${n + 1}`)),
)
const coverage = await readCoverage(workspaces[0]!, mutants, join(results, 'coverage'))

const waiting = mutants.filter(isWanted)
const total = waiting.length
await Promise.all(
  workspaces.map(async (workspace) => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const outcome = await trialOf(workspace, mutant, coverage, {
        isAll,
        before: only ? undefined : outcomes.get(mutant.id),
      })
      outcomes.set(mutant.id, outcome)
      appendFileSync(record, `${JSON.stringify(outcome)}\n`)
      console.info(`${total - waiting.length}/${total} ${describe(mutant)}: ${verdict(outcome)}`)
    }
  }),
)
report()

function isWanted({ id }: Mutant): boolean {
  if (only) return only.includes(id)
  const before = outcomes.get(id)
  return !before || (isAll && before.test === null && before.all === undefined)
}

function report(): void {
  const tried = mutants.flatMap((mutant) => outcomes.get(mutant.id) ?? [])
  const seen = tried.filter(({ test }) => test !== null).length
  const share = (part: number) =>
    `${part} of ${tried.length} (${((100 * part) / tried.length).toFixed(1)} %)`
  console.info(`\nnpm test catches ${share(seen)}`)
  if (isAll) {
    const more = tried.filter(({ test, all }) => test === null && typeof all === 'string').length
    console.info(`npm run test:all catches ${share(seen + more)}`)
  }
  for (const mutant of mutants) {
    const outcome = outcomes.get(mutant.id)
    if (outcome?.test === null && typeof outcome.all !== 'string') console.info(describe(mutant))
  }
}

function describe({ id, file, line, kind, original, replacement }: Mutant): string {
  const short = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 60)
  return `#${id} ${file}:${line} ${kind} ${short(original)} -> ${short(replacement)}`
}

function verdict({ test, all }: Outcome): string {
  if (test !== null) return `caught by ${test}`
  return typeof all === 'string' ? `only test:all catches it, by ${all}` : 'SURVIVES'
}

function readOutcomes(file: string): Outcome[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Outcome)
}
