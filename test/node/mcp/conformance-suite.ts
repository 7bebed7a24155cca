/** Runs the official conformance suite against an endpoint, and reads what it found. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFile } from '../../all/packages.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const SUITE = packageFile('@modelcontextprotocol/conformance')

/** What the suite says about one endpoint in one revision. */
export interface Findings {
  /** The scenarios that the revision requires, by the suite's own list. */
  readonly scored: readonly string[]
  /** Those of them with no failed check. */
  readonly passed: readonly string[]
  /** By the exit code. */
  readonly isConformant: boolean
  readonly passedChecks: number
  /** Each as `STATUS scenario check`, in the order of the alphabet, beside `MISSING scenario`. */
  readonly otherChecks: readonly string[]
}

interface Check {
  readonly id: string
  readonly status: string
}

/** @param signal Ends the suite's process. */
export async function runSuite(
  url: string,
  revision: string,
  signal: AbortSignal,
): Promise<Findings> {
  const folder = tempFolder()
  const args = ['server', '--url', url, '--requirements', revision, '--output-dir', folder]
  const isConformant = await succeeds([join(SUITE, 'dist/index.js'), ...args], signal)
  return { isConformant, ...readResults(folder, readRequirements(revision)) }
}

function succeeds(args: readonly string[], signal: AbortSignal): Promise<boolean> {
  return new Promise((done, fail) => {
    execFile(process.execPath, args, { signal, maxBuffer: 64 * 1024 * 1024 }, (error) => {
      if (error && typeof error.code !== 'number') fail(error)
      else done(!error)
    })
  })
}

/** The suite runs some scenarios that count for nothing: extensions, and those it cannot yet pass itself. */
function readRequirements(revision: string) {
  const yaml = readFileSync(join(SUITE, `requirements/${revision}.yaml`), 'utf8')
  const [, scored = ''] = /^server:\n((?: +- \S+\n)+)/m.exec(yaml) ?? []
  const others = yaml.matchAll(/- scenario: (\S+)\n +leg: server$/gm)
  return {
    scored: Array.from(scored.matchAll(/- (\S+)/g), ([, name = '']) => name),
    others: Array.from(others, ([, name = '']) => name),
  }
}

function readResults(folder: string, { scored, others }: ReturnType<typeof readRequirements>) {
  const results = new Map(
    readdirSync(folder).map((name) => {
      const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
      return [scenario, readChecks(join(folder, name, 'checks.json'))] as const
    }),
  )
  const checksOf = (scenario: string) => results.get(scenario) ?? []
  const hasPassed = (scenario: string) =>
    checksOf(scenario).length > 0 && checksOf(scenario).every(({ status }) => status !== 'FAILURE')

  const passed = new Set<string>()
  const other = new Set<string>()
  for (const scenario of [...scored, ...others]) {
    const checks = checksOf(scenario)
    if (checks.length === 0) other.add(`MISSING ${scenario}`)
    for (const { id, status } of checks) {
      if (status === 'SUCCESS') passed.add(`${scenario} ${id}`)
      else if (status !== 'INFO') other.add(`${status} ${scenario} ${id}`)
    }
  }
  return {
    scored,
    passed: scored.filter(hasPassed),
    passedChecks: passed.size,
    otherChecks: [...other].sort(),
  }
}

/** A scenario that broke off leaves none. */
function readChecks(file: string): readonly Check[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Check[]) : []
}
