/** Makes sure that Ceph's programs are on this machine, and says what it does about it. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../infra/command-line.ts'

const PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw']
const PROGRAMS = [...PACKAGES, 'radosgw-admin', 'monmaptool', 'ceph']

/**
 * Does nothing where the programs are found; else installs Debian's packages, which takes root.
 *
 * @throws {UsageError} if they are missing and cannot be installed here.
 */
export function installCeph(): void {
  const missing = PROGRAMS.filter((program) => !isOnPath(program))
  if (missing.length === 0) {
    console.info(`Ceph is already installed: ${versionOfCeph()}`)
    return
  }
  const names = missing.join(', ')
  const packages = PACKAGES.join(' ')
  if (!isDebian()) {
    throw new UsageError(`${names} missing, and this is no Debian to install ${packages} on`)
  }
  if (process.getuid?.() !== 0) {
    throw new UsageError(
      `${names} missing: run this as root, or apt-get install --no-install-recommends ${packages}`,
    )
  }
  console.info(`Installing ${packages} with apt-get, 300 to 600 MB with what they need:`)
  console.info(
    'the S3 driver is to be tested against a store that neither we nor Cloudflare wrote.',
  )
  if (aptGet('install', '--no-install-recommends', ...PACKAGES)) return
  console.info(
    'That failed, perhaps for want of fresh package lists: fetching them and trying again.',
  )
  aptGet('update')
  if (!aptGet('install', '--no-install-recommends', ...PACKAGES)) {
    throw new UsageError(`apt-get could not install ${packages}; its own message is above`)
  }
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

function versionOfCeph(): string {
  return spawnSync('radosgw', ['--version'], { encoding: 'utf8' }).stdout.trim()
}
