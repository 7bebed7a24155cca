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
import { STEPS, Trials, type Step } from './trial.ts'
import { makeWorkspace } from './workspace.ts'

interface Outcome {
  readonly id: number
  readonly step: Step
  readonly caughtBy: string | null
}

const ROOT = resolve(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'dist/mutants')
const NAMES = ['auth', 'files', 'storage', 'vm', 'links', 'operations', 'http', 'mcp', 'sdk']
const AT_ONCE = 3

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    tier: { type: 'string', default: 'test' },
    only: { type: 'string' },
  },
})
const steps = values.tier === 'all' ? STEPS : STEPS.filter((step) => step !== 'all')
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
/** By mutant and step, what caught it. */
const outcomes = new Map(mutants.map(({ id }) => [id, new Map<Step, string | null>()]))
for (const known of readOutcomes(record)) outcomes.get(known.id)!.set(known.step, known.caughtBy)
// The same mutants again.
for (const id of only ?? []) outcomes.get(id)?.clear()
const workspaces = Array.from({ length: AT_ONCE }, (_, n) => join(FOLDER, `workspace-${n + 1}`))
for (const workspace of workspaces) makeWorkspace(ROOT, workspace)
const coverage = readCoverage(workspaces[0]!, mutants, join(results, 'coverage'))

const benches = workspaces.map((workspace) => new Trials(workspace, coverage))
for (const step of steps) await tryStep(step)
for (const bench of benches) bench.end()
report()

/** Tries what no earlier step has caught. */
async function tryStep(step: Step): Promise<void> {
  const waiting = mutants.filter(
    ({ id }) => (only?.includes(id) ?? true) && !caughtBy(id) && !outcomes.get(id)!.has(step),
  )
  const total = waiting.length
  await Promise.all(
    benches.map(async (bench) => {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const { id } = mutant
        const caught = await bench.trialOf(mutant, step)
        outcomes.get(id)!.set(step, caught)
        const outcome: Outcome = { id, step, caughtBy: caught }
        appendFileSync(record, `${JSON.stringify(outcome)}\n`)
        const verdict = caught === null ? 'SURVIVES' : `caught by ${caught}`
        console.info(`${step} ${total - waiting.length}/${total} ${describe(mutant)}: ${verdict}`)
      }
    }),
  )
}

function caughtBy(id: number): string | undefined {
  return [...outcomes.get(id)!.values()].find((caught) => caught !== null) ?? undefined
}

function report(): void {
  const tried = mutants.filter(({ id }) => outcomes.get(id)!.size > 0)
  const share = (part: number) =>
    `${part} of ${tried.length} (${((100 * part) / tried.length).toFixed(1)} %)`
  const caught = tried.filter(({ id }) => caughtBy(id))
  const late = caught.filter(({ id }) => typeof outcomes.get(id)!.get('all') === 'string')
  console.info(`\nnpm test catches ${share(caught.length - late.length)}`)
  if (values.tier === 'all') console.info(`npm run test:all catches ${share(caught.length)}`)
  for (const mutant of tried) if (!caughtBy(mutant.id)) console.info(describe(mutant))
}

function describe({ id, file, line, kind, original, replacement }: Mutant): string {
  const short = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 60)
  return `#${id} ${file}:${line} ${kind} ${short(original)} -> ${short(replacement)}`
}

function readOutcomes(file: string): Outcome[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Outcome)
}
