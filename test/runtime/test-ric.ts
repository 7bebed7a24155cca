/** `npm run test:ric`: the tests of the Lambda function with AWS's own runtime client instead of ours. */
import { join } from 'node:path'
import { readOptions, run, UsageError } from '../../infra/command-line.ts'
import { stopWithParent } from '../../infra/stop-with-parent.ts'
import { callCommand } from '../support/call-command.ts'
import { tempFolder } from '../support/temp-folder.ts'

const CLIENT = 'aws-lambda-ric@4.0.2'

const FILES = ['test/runtime/lambda', 'test/runtime/runs/lambda-runs']

const HELP = `Runs the tests of the Lambda function with ${CLIENT}.

Installs it into a temporary folder, without the part that it would compile for minutes. It is no
dependency of ours because npm compiles it for everybody unless it is new enough to be told not to.`

await run('test:ric', async () => {
  readOptions(HELP, {})
  const folder = tempFolder()
  // As a shell reports a signal; what was started goes with the process.
  stopWithParent(async () => process.exit(130))
  const install = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']
  if ((await callCommand('npm', [...install, CLIENT])) !== 0) {
    throw new UsageError(`${CLIENT} cannot be installed`)
  }
  const client = join(folder, 'node_modules/aws-lambda-ric/index.mjs')
  const tests = ['run', '--mode', 'all', '--project', 'process', ...FILES]
  process.exit(await callCommand('vitest', tests, { LAMBDA_RIC: client }))
})
