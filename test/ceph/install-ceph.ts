/** Makes sure that Ceph's programs are on this machine. */
import { spawnSync } from 'node:child_process'
import { installPrograms } from '../support/debian-packages.ts'

const PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw']

/** @throws {UsageError} if they are missing and cannot be installed here. */
export function installCeph(): void {
  const wereThere = installPrograms({
    programs: [...PACKAGES, 'radosgw-admin', 'monmaptool', 'ceph'],
    packages: PACKAGES,
    reason:
      '300 to 600 MB with what they need:\nthe S3 driver is to be tested against a store that neither we nor Cloudflare wrote.',
  })
  if (wereThere) console.info(`Ceph is already installed: ${versionOfCeph()}`)
}

function versionOfCeph(): string {
  return spawnSync('radosgw', ['--version'], { encoding: 'utf8' }).stdout.trim()
}
