/**
 * A Vitest process that stays: runs the test files that its parent names, in that order, until one
 * fails. Keeps what it has transformed, except the file that changed; tests get a new process each
 * run.
 */
import { relative } from 'node:path'
import { createVitest, type TestSpecification } from 'vitest/node'

export interface Run {
  /** With their projects, as in `node test/files/path.test.ts`. */
  readonly files: readonly string[]
  readonly changed: string
}

export interface Failure {
  readonly file: string
  readonly test: string
}

/** To the parent: the file whose test has ended, or how the run has ended. */
export type Message = { readonly running: string } | { readonly failure: Failure | null }

class AsGiven {
  sort = (files: TestSpecification[]) => files
  shard = (files: TestSpecification[]) => files
}

let changedBefore = ''
let running = ''
let failure: Failure | null = null
let isInterrupted = false

Object.assign(process.env, { TEST: 'true', VITEST: 'true', NODE_ENV: 'test' })
const vitest = await createVitest('test', {
  mode: process.argv[2]!,
  watch: false,
  bail: 1,
  maxWorkers: 1,
  sequence: { sequencer: AsGiven },
  reporters: [
    {
      onTestModuleStart(module) {
        report(nameOf(module))
      },
      onTestCaseResult(test) {
        report(running)
        if (test.result().state === 'failed') fail(nameOf(test.module), test.fullName)
      },
      onTestModuleEnd(module) {
        if (module.state() !== 'failed' || failure) return
        fail(nameOf(module), module.errors()[0]?.message ?? 'does not load')
        void vitest.cancelCurrentRun('test-failure')
      },
      onTestRunEnd(_, [error], reason) {
        if (error) fail(running, error.message)
        isInterrupted = reason === 'interrupted'
      },
    },
  ],
})
const all = new Map((await vitest.globTestSpecifications()).map((file) => [nameOf(file), file]))

process.on('message', (run: Run) => void answer(run))
// Global setup builds, here and never again.
await vitest.runTestSpecifications([])
report('')

async function answer({ files, changed }: Run): Promise<void> {
  running = files[0] ?? ''
  // The file of the mutant before has been restored since.
  for (const file of [changedBefore, changed]) vitest.invalidateFile(file)
  changedBefore = changed
  const tests = files.flatMap((file) => all.get(file) ?? [])
  do {
    failure = null
    isInterrupted = false
    await vitest.runTestSpecifications(tests)
    // What ended the run before may come late, and end this one.
  } while (isInterrupted && !failure)
  process.send!({ failure } satisfies Message)
}

function fail(file: string, test: string): void {
  failure ??= { file, test }
}

function report(name: string): void {
  running = name
  process.send!({ running } satisfies Message)
}

function nameOf({ project, moduleId }: Pick<TestSpecification, 'project' | 'moduleId'>): string {
  return `${project.name} ${relative(process.cwd(), moduleId)}`
}
