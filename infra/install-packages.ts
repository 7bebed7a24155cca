/** Installs packages that few commands need, from folders with lock files of their own. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

interface Locked {
  readonly version: string
  readonly optional?: boolean
}

/**
 * Runs `npm ci` unless everything in the lock file is installed. No package needs its install script.
 *
 * @param announce Called before anything is downloaded.
 * @throws with npm's reason.
 */
export function installPackages(folder: string, announce: () => void): void {
  if (isInstalled(folder)) return
  announce()
  const npm = spawnSync('npm', ['ci', '--ignore-scripts'], {
    cwd: folder,
    stdio: ['ignore', 2, 'pipe'],
    encoding: 'utf8',
  })
  if (npm.status === 0) return
  throw new Error(/^npm error (.+)$/m.exec(npm.stderr)?.[1] ?? npm.error?.message ?? npm.stderr)
}

/** What a lock file pins, by its place. */
export function lockedIn(file: string): Record<string, Locked> {
  return (JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Locked> }).packages
}

function isInstalled(folder: string): boolean {
  // npm writes it last, and the same versions are in it.
  const file = resolve(folder, 'node_modules/.package-lock.json')
  if (!existsSync(file)) return false
  const installed = lockedIn(file)
  return Object.entries(lockedIn(resolve(folder, 'package-lock.json'))).every(
    ([place, { version, optional }]) =>
      place === '' || optional === true || installed[place]?.version === version,
  )
}
