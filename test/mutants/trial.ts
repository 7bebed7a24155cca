/** Runs the tests on one mutant, cheapest first, until one fails. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Coverage } from './coverage.ts'
import { mutate, type Mutant } from './draw.ts'
import type { Workspace } from './workspace.ts'

/** By tier, what caught the mutant: a test, or a test that did not end; `null` if nothing did. */
export interface Outcome {
  readonly id: number
  readonly test: string | null
  /** Tried only on what `npm test` lets through. */
  readonly all?: string | null
}

const FIRST_MS = 10_000
const REPORT = 'mutant-report.json'
const IN_NODE = ['--project', 'node', '--project', 'process']

export async function trialOf(
  workspace: Workspace,
  mutant: Mutant,
  coverage: Coverage,
  { isAll, before }: { isAll: boolean; before: Outcome | undefined },
): Promise<Outcome> {
  const path = join(workspace.folder, mutant.file)
  const content = readFileSync(path, 'utf8')
  writeFileSync(path, mutate(content, mutant))
  try {
    const test = before ? before.test : await tryTest(workspace, mutant, coverage)
    if (test !== null || !isAll) return { id: mutant.id, test }
    return { id: mutant.id, test, all: await tryAll(workspace, mutant, coverage) }
  } finally {
    writeFileSync(path, content)
  }
}

/** `npm test`, cheap files that reach the mutant first, then slower ones, then the rest. */
async function tryTest(
  workspace: Workspace,
  mutant: Mutant,
  coverage: Coverage,
): Promise<string | null> {
  const all = [...coverage.files.keys()]
  const ms = (file: string) => coverage.files.get(file) ?? 0
  const reaching = [...(coverage.filesFor(mutant) ?? all.filter((file) => isNear(mutant, file)))]
  reaching.sort((a, b) => ms(a) - ms(b))
  let spentMs = 0
  const first = reaching.filter((file) => (spentMs += ms(file)) <= FIRST_MS)
  const second = reaching.filter((file) => !first.includes(file))
  const rest = all.filter((file) => !reaching.includes(file))
  for (const files of [first, second, rest]) {
    const caught = files.length > 0 ? await tryFiles(workspace, [...IN_NODE, ...files]) : null
    if (caught !== null) return caught
  }
  return await tryFiles(workspace, ['--project', 'workerd'])
}

/** What `test:all` adds: slow files, whole tables, and workerd for files that reach the mutant. */
async function tryAll(
  workspace: Workspace,
  mutant: Mutant,
  coverage: Coverage,
): Promise<string | null> {
  const slow = globSync('test/**/*.slow.test.ts', { cwd: workspace.folder })
  const reaching = coverage.filesFor(mutant) ?? [...coverage.files.keys()]
  return await tryFiles(workspace, ['--mode', 'all', ...reaching, ...slow])
}

function isNear({ file }: Mutant, testFile: string): boolean {
  const folder = file.replace(/^src\//, '').replace(/\/[^/]*$/, '')
  return testFile.includes(`/${folder.split('/')[0]!}/`)
}

async function tryFiles(workspace: Workspace, args: readonly string[]): Promise<string | null> {
  const report = join(workspace.folder, REPORT)
  writeFileSync(report, '{}')
  const own = ['--bail', '1', '--maxWorkers', '1', '--reporter=json', `--outputFile=${report}`]
  const code = await workspace.vitest([...own, ...args], 1_200_000)
  if (code === null) return 'a test that does not end'
  const text = readFileSync(report, 'utf8')
  // Node exits with 0 when a build waits for what never comes; then there is no report.
  return code === 0 && text !== '{}' ? null : firstFailure(text)
}

function firstFailure(report: string): string {
  const { testResults = [] } = JSON.parse(report) as {
    testResults?: {
      name: string
      status: string
      assertionResults: { status: string; fullName: string }[]
    }[]
  }
  const failed = testResults.find(({ status }) => status === 'failed')
  const test = failed?.assertionResults.find(({ status }) => status === 'failed')
  return failed
    ? `${failed.name.replace(/^.*\/test\//, 'test/')}: ${test?.fullName ?? 'does not load'}`
    : 'the build'
}
