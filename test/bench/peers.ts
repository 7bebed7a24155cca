/** The packages that only the bench needs: in a folder of their own, installed when they are first asked for. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { reasonOf } from './compare.ts'
import { say } from './progress.ts'

const FOLDER = import.meta.dirname
const LOCK = resolve(FOLDER, 'package-lock.json')
/** npm writes it last, and the same versions are in it. */
const INSTALLED = resolve(FOLDER, 'node_modules/.package-lock.json')

/** Contestants run in processes of their own, which have it from their environment. */
const FAILURE = 'MOONBUCKET_BENCH_INSTALL_FAILURE'

/** Without network what is missing is told in the tables, and the rest is measured all the same. */
export function installPeers(): void {
  if (isInstalled()) return
  say('installing what Moonbucket is compared with: npm ci in test/bench (once, about 110 MB)')
  try {
    // No package of these needs its install script here; isolated-vm brings its binaries along.
    execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: FOLDER, stdio: ['ignore', 2, 'pipe'] })
  } catch (error) {
    const said = (error as { stderr?: Buffer }).stderr?.toString() ?? ''
    const failure = /^npm error (.+)$/m.exec(said)?.[1] ?? reasonOf(error)
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
  return versionsIn(LOCK)[`node_modules/${name}`]!.version
}

function isInstalled(): boolean {
  if (!existsSync(INSTALLED)) return false
  const installed = versionsIn(INSTALLED)
  return Object.entries(versionsIn(LOCK)).every(
    ([place, { version, optional }]) =>
      place === '' || optional === true || installed[place]?.version === version,
  )
}

function versionsIn(file: string): Record<string, { version: string; optional?: boolean }> {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
    packages: Record<string, { version: string; optional?: boolean }>
  }
  return packages
}
