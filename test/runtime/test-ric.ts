/** `npm run test:ric`: the tests of the Lambda function with AWS's own runtime client instead of ours. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOptions, run, UsageError } from '../../infra/command-line.ts'
import { stopWithParent } from '../../infra/stop-with-parent.ts'

const CLIENT = 'aws-lambda-ric@4.0.2'

const HELP = `Runs the tests of the Lambda function with ${CLIENT}.

Installs it into a temporary folder, without the part that it would compile for minutes. It is no
dependency of ours because npm compiles it for everybody unless it is new enough to be told not to.`

await run('test:ric', async () => {
  readOptions(HELP, {})
  const folder = mkdtempSync(join(tmpdir(), 'moonbucket-ric-'))
  process.once('exit', () => rmSync(folder, { recursive: true }))
  // As a shell reports a signal; what was started goes with the process.
  stopWithParent(async () => process.exit(130))
  const install = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']
  if ((await call('npm', [...install, CLIENT])) !== 0) {
    throw new UsageError(`${CLIENT} cannot be installed`)
  }
  const client = join(folder, 'node_modules/aws-lambda-ric/index.mjs')
  const tests = ['run', '--project', 'process', 'test/runtime/lambda']
  process.exit(await call('vitest', tests, { LAMBDA_RIC: client }))
})

function call(command: string, args: string[], env: Record<string, string> = {}): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  process.once('exit', () => child.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
