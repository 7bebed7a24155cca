/** Which test files reach a mutant and how long each takes, so that most mutants need few files. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { separatorAt, type Mutant } from './draw.ts'
import type { Workspace } from './workspace.ts'

export interface Coverage {
  /** Milliseconds of every file of `npm test` in Node. */
  readonly files: ReadonlyMap<string, number>
  /** Files that reach the mutant; `undefined` where that cannot be told. */
  filesFor(mutant: Mutant): readonly string[] | undefined
}

interface Reached {
  readonly file: string
  readonly loading: readonly number[]
  readonly running: readonly number[]
}

const CONFIG = `import config from './vitest.config.ts'
export default (env) => {
  const { test } = config(env)
  return { test: { ...test, setupFiles: ['./test/mutants/record-hits.ts'] } }
}
`

/** Runs `npm test` in Node once, with a mark at the place of each mutant. */
export async function readCoverage(
  workspace: Workspace,
  mutants: readonly Mutant[],
  folder: string,
): Promise<Coverage> {
  const report = join(folder, 'report.json')
  if (!existsSync(report)) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    await measure(workspace, mutants, folder, report)
  }
  const reached = readdirSync(folder)
    .filter((name) => name.startsWith('hits-'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Reached)
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { name: string; startTime: number; endTime: number }[]
  }
  const files = new Map(
    testResults.map(({ name, startTime, endTime }) => [
      relative(workspace.folder, name),
      endTime - startTime,
    ]),
  )
  const loaded = new Set(reached.flatMap(({ loading }) => loading))
  return {
    files,
    filesFor({ id }) {
      // Modules are loaded once and shared, so the first file to load one stands for all.
      if (loaded.has(id)) return undefined
      const found = reached.filter(({ running }) => running.includes(id))
      return found.map(({ file }) => relative(workspace.folder, file))
    },
  }
}

async function measure(
  workspace: Workspace,
  mutants: readonly Mutant[],
  folder: string,
  report: string,
): Promise<void> {
  console.info('finding out which tests reach which mutants: npm test once')
  const originals = new Map<string, string>()
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const path = join(workspace.folder, file)
    const content = readFileSync(path, 'utf8')
    originals.set(path, content)
    writeFileSync(
      path,
      mark(
        content,
        mutants.filter((mutant) => mutant.file === file),
      ),
    )
  }
  const config = join(workspace.folder, 'mutants.config.ts')
  writeFileSync(config, CONFIG)
  process.env['MUTANT_HITS'] = folder
  const args = ['--config', config, '--project', 'node', '--project', 'process']
  await workspace.vitest([...args, '--reporter=json', `--outputFile=${report}`], 3_600_000)
  delete process.env['MUTANT_HITS']
  rmSync(config)
  for (const [path, content] of originals) writeFileSync(path, content)
  if (readdirSync(folder).length < 2) {
    rmSync(folder, { recursive: true })
    throw new Error('no test ran: a mark broke the build')
  }
}

/** Every expression or block that a mutant replaces reports that it was reached. */
function mark(content: string, mutants: readonly Mutant[]): string {
  const insertions = mutants.flatMap(({ id, kind, start, end, original }) => {
    const hit = `globalThis.__hit?.(${id})`
    if (kind === 'BlockStatement') return [{ at: start + 1, depth: 0, text: ` ${hit};` }]
    // An optional chain must not be cut in two, nor a case of a switch wrapped.
    if (kind === 'OptionalChaining' || /^(?:case\b|default:)/.test(original)) return []
    const length = end - start
    return [
      { at: start, depth: -length, text: `${separatorAt(content, start)}(${hit}, ` },
      { at: end, depth: length, text: ')' },
    ]
  })
  let text = content
  insertions.sort((a, b) => b.at - a.at || b.depth - a.depth)
  for (const { at, text: inserted } of insertions)
    text = text.slice(0, at) + inserted + text.slice(at)
  return text
}
