/** Installs and imports the packages that only the bench needs. */
import { resolve } from 'node:path'
import { installPackages, lockedIn } from '../../infra/install-packages.ts'
import { reasonOf } from './compare.ts'
import { say } from './progress.ts'

const FOLDER = import.meta.dirname

/** Passed to contestants' processes in the environment. */
const FAILURE = 'MOONBUCKET_BENCH_INSTALL_FAILURE'

/** Without network, tables list what is missing, and the rest is measured. */
export function installPeers(): void {
  try {
    installPackages(FOLDER, () =>
      say('installing what Moonbucket is compared with: npm ci in test/bench (once, about 110 MB)'),
    )
  } catch (error) {
    const failure = reasonOf(error)
    process.env[FAILURE] = failure
    say(`npm ci in test/bench failed: ${failure}`)
  }
}

/** Typed by the caller: the packages are not installed when the repository is type-checked. */
export async function importPeer<Exports>(name: string): Promise<Exports> {
  try {
    return (await import(name)) as Exports
  } catch (error) {
    // The original message would contain local paths.
    const isThere = (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND'
    const reason = isThere ? reasonOf(error) : (process.env[FAILURE] ?? 'the package is not there')
    throw new Error(`did not install: ${reason}`, { cause: error })
  }
}

/** From the lock file. */
export function versionOf(name: string): string {
  return lockedIn(resolve(FOLDER, 'package-lock.json'))[`node_modules/${name}`]!.version
}
