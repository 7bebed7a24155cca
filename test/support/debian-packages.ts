/**
 * Makes sure that programs of Debian packages are on this machine, and says what it does about it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../infra/command-line.ts'

export interface DebianPrograms {
  readonly programs: readonly string[]
  /** What has them. */
  readonly packages: readonly string[]
  /** How much is downloaded, and what for. */
  readonly reason: string
}

/**
 * Does nothing where the programs are found; else installs the packages, which takes root.
 *
 * @returns whether all were there.
 * @throws {UsageError} if they are missing and cannot be installed here.
 */
export function installPrograms({ programs, packages, reason }: DebianPrograms): boolean {
  const missing = programs.filter((program) => !isOnPath(program)).join(', ')
  if (missing === '') return true
  const names = packages.join(' ')
  if (!isDebian()) {
    throw new UsageError(`${missing} missing, and this is no Debian to install ${names} on`)
  }
  if (process.getuid?.() !== 0) {
    throw new UsageError(
      `${missing} missing: run this as root, or apt-get install --no-install-recommends ${names}`,
    )
  }
  console.info(`Installing ${names} with apt-get, ${reason}`)
  if (aptGet('install', '--no-install-recommends', ...packages)) return false
  console.info(
    'That failed, perhaps for want of fresh package lists: fetching them and trying again.',
  )
  aptGet('update')
  if (!aptGet('install', '--no-install-recommends', ...packages)) {
    throw new UsageError(`apt-get could not install ${names}; its own message is above`)
  }
  return false
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)))
}

/** Ubuntu and others that name Debian as their parent have the same packages. */
function isDebian(): boolean {
  const release = '/etc/os-release'
  return existsSync(release) && /^ID(_LIKE)?=.*\bdebian\b/m.test(readFileSync(release, 'utf8'))
}

function aptGet(...args: string[]): boolean {
  const { status } = spawnSync('apt-get', ['-y', '-q', '-o', 'Dpkg::Use-Pty=0', ...args], {
    stdio: 'inherit',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  return status === 0
}
