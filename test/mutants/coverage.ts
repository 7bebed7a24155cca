/** Which test files can reach a mutant, the most promising first. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { replaces, separatorAt, type Mutant } from './draw.ts'
import { loadedBy } from './imports.ts'

/** Files are named with their projects, as in `node test/files/path.test.ts`. */
export interface Coverage {
  /** Those that reach the mutant in their own process: a short way first, then quick ones. */
  filesFor(mutant: Mutant): readonly string[]
  /** Those that may reach any mutant: in workerd, in processes and bundles. */
  readonly elsewhere: readonly string[]
  /** What only `npm run test:all` runs. */
  readonly slow: readonly string[]
  /** Whether the VM is built with it: without a new build, the two would not fit together. */
  isBuildInput(mutant: Mutant): boolean
}

interface Reached {
  readonly file: string
  readonly loading: readonly number[]
  readonly running: readonly number[]
}

interface Listed {
  readonly file: string
  readonly projectName: string
}

/** Of the two projects in Node, as many each as vitest.config.ts says. */
const PROCESSES = 2 * (availableParallelism() + 1)

/** Imports that lead nowhere. */
const FAR = 99

/** Shares numbers and names with the source. */
const LUA_BUILD = 'infra/build/lua/build.ts'

const CONFIG = `import config from './vitest.config.ts'
export default (env) => {
  const { test } = config(env)
  return { test: { ...test, setupFiles: ['./test/mutants/record-hits.ts'] } }
}
`

/** Runs `npm test` in Node once, with a mark at the place of each mutant. */
export function readCoverage(
  workspace: string,
  mutants: readonly Mutant[],
  folder: string,
): Coverage {
  const report = join(folder, 'report.json')
  if (!existsSync(report)) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    measure(workspace, mutants, folder, report)
  }
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { name: string; startTime: number; endTime: number }[]
  }
  const ms = new Map(
    testResults.map(({ name, startTime, endTime }) => [
      relative(workspace, name),
      endTime - startTime,
    ]),
  )
  const reached = readdirSync(folder)
    .filter((name) => name.startsWith('hits-'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Reached)
  const loaded = new Set(reached.flatMap(({ loading }) => loading))
  const listed = list(workspace, 'test')
  const known = new Set(listed)
  const inNode = listed.filter((name) => !name.startsWith('workerd '))
  const paths = new Map(inNode.map((name) => [name, loadedBy(workspace, pathOf(name))]))
  const built = loadedBy(workspace, LUA_BUILD)
  return {
    elsewhere: listed.filter((name) => !name.startsWith('node ')),
    slow: list(workspace, 'all').filter((name) => !known.has(name) && name.includes('.slow.')),
    isBuildInput: ({ file }) => built.has(file),
    filesFor(mutant) {
      const running = reached.filter((hits) => hits.running.includes(mutant.id))
      const hit = new Set(running.map(({ file }) => relative(workspace, file)))
      // Done once per process, on loading or later: the first file to do it stands for all.
      const isOnce = loaded.has(mutant.id) || hit.size <= PROCESSES
      const steps = (name: string) => paths.get(name)!.get(mutant.file) ?? FAR
      const cost = (name: string) => steps(name) * (100 + (ms.get(pathOf(name)) ?? 60_000))
      const order = (name: string) => (hit.has(pathOf(name)) ? 0 : 3) + projectOf(name)
      return inNode
        .filter((name) => hit.has(pathOf(name)) || (isOnce && steps(name) < FAR))
        .sort((a, b) => order(a) - order(b) || cost(a) - cost(b))
    },
  }
}

function pathOf(name: string): string {
  return name.split(' ')[1]!
}

/** Projects one after the other: only files of one share a process. */
function projectOf(name: string): number {
  return ['node', 'process', 'workerd'].indexOf(name.split(' ')[0]!)
}

function list(workspace: string, mode: string): string[] {
  const args = ['list', '--mode', mode, '--filesOnly', '--json']
  const { stdout } = vitest(workspace, args)
  return (JSON.parse(stdout) as Listed[]).map(
    ({ file, projectName }) => `${projectName} ${relative(workspace, file)}`,
  )
}

function measure(
  workspace: string,
  mutants: readonly Mutant[],
  folder: string,
  report: string,
): void {
  console.info('finding out which tests reach which mutants: npm test once')
  const originals = new Map<string, string>()
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const path = join(workspace, file)
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
  const config = join(workspace, 'mutants.config.ts')
  writeFileSync(config, CONFIG)
  const args = ['run', '--config', config, '--project', 'node', '--project', 'process']
  const { stderr } = vitest(
    workspace,
    [...args, '--reporter=json', `--outputFile=${report}`],
    folder,
  )
  rmSync(config)
  for (const [path, content] of originals) writeFileSync(path, content)
  if (readdirSync(folder).length < 2) {
    rmSync(folder, { recursive: true })
    throw new Error(`no test ran: ${stderr}`)
  }
}

function vitest(
  workspace: string,
  args: readonly string[],
  hits = '',
): { stdout: string; stderr: string } {
  return spawnSync(join(workspace, 'node_modules/.bin/vitest'), args, {
    cwd: workspace,
    env: { ...process.env, MUTANT_HITS: hits },
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  })
}

/** An optional chain must not be cut in two, nor a case of a switch wrapped. */
function canMark(mutant: Mutant): boolean {
  return mutant.kind !== 'OptionalChaining' && replaces(mutant) !== 'case'
}

/** Everything that a mutant replaces reports that it was reached. */
function mark(content: string, mutants: readonly Mutant[]): string {
  const insertions = mutants.filter(canMark).flatMap((mutant) => {
    const { id, start, end } = mutant
    const hit = `globalThis.__hit?.(${id})`
    const length = end - start
    const around = (before: string, after: string) => [
      { at: start, depth: -length, text: before },
      { at: end, depth: length, text: after },
    ]
    const what = replaces(mutant)
    if (what === 'block') return [{ at: start + 1, depth: 0, text: ` ${hit};` }]
    if (what === 'statement') return around(`{ ${hit}; `, ' }')
    return around(`${separatorAt(content, start)}(${hit}, `, ')')
  })
  let text = content
  insertions.sort((a, b) => b.at - a.at || b.depth - a.depth)
  for (const { at, text: inserted } of insertions)
    text = text.slice(0, at) + inserted + text.slice(at)
  return text
}
