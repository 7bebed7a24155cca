/** The packages that only the bench needs. */
import { resolve } from 'node:path'
import { installPackages, lockedIn } from '../../infra/install-packages.ts'
import { reasonOf } from './compare.ts'
import { say } from './progress.ts'

const FOLDER = import.meta.dirname

/** Contestants run in processes of their own, which have it from their environment. */
const FAILURE = 'MOONBUCKET_BENCH_INSTALL_FAILURE'

/** Without network what is missing is told in the tables, and the rest is measured all the same. */
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

/** A package by its name; its types are not installed when the rest of the repository is checked. */
export async function importPeer<Exports>(name: string): Promise<Exports> {
  try {
    return (await import(name)) as Exports
  } catch (error) {
    // Its own message would name folders of this machine.
    const isThere = (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND'
    const reason = isThere ? reasonOf(error) : (process.env[FAILURE] ?? 'the package is not there')
    throw new Error(`did not install: ${reason}`, { cause: error })
  }
}

/** The version that the lock file names. */
export function versionOf(name: string): string {
  return lockedIn(resolve(FOLDER, 'package-lock.json'))[`node_modules/${name}`]!.version
}
