/**
 * `npm run test:libraries`: well-known libraries, with their own tests, in native Lua and in ours.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOptions, run, UsageError } from '../../infra/command-line.ts'
import { stopWithParent } from '../../infra/stop-with-parent.ts'
import { callCommand } from '../support/call-command.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { LIBRARIES, LUA, type Library } from './libraries.ts'

const POOL = 'http://deb.debian.org/debian/pool/main/l'

const HELP = `Runs the tests of well-known Lua libraries in native Lua and in scripts.

Downloads their sources from Debian (1 MB) into a temporary folder. They are no dependencies of
ours: nothing is installed. Needs Debian's lua5.4.`

await run('test:libraries', async () => {
  readOptions(HELP, {})
  if (spawnSync(LUA, ['-v']).error) {
    throw new UsageError('lua5.4 is not installed: apt-get install lua5.4')
  }
  const folder = tempFolder()
  // As a shell reports a signal; what was started goes with the process.
  stopWithParent(async () => process.exit(130))
  for (const [name, library] of Object.entries(LIBRARIES)) await unpack(join(folder, name), library)
  const tests = ['run', '--config', 'test/libraries/vitest.config.ts']
  process.exit(await callCommand('vitest', tests, { LIBRARIES_FOLDER: folder }))
})

async function unpack(folder: string, { archive, sha256 }: Library): Promise<void> {
  mkdirSync(folder)
  const response = await fetch(`${POOL}/${archive.split('_')[0]}/${archive}`)
  if (!response.ok) throw new UsageError(`${archive} cannot be downloaded: ${response.status}`)
  const bytes = Buffer.from(await response.arrayBuffer())
  const digest = createHash('sha256').update(bytes).digest('hex')
  if (digest !== sha256) throw new UsageError(`${archive} is not what it was`)
  const file = join(folder, archive)
  writeFileSync(file, bytes)
  const unpacking = ['-xzf', file, '-C', folder, '--strip-components=1']
  if ((await callCommand('tar', unpacking)) !== 0) {
    throw new UsageError(`${archive} cannot be unpacked`)
  }
}
