/** Packages that only `npm run test:all` installs, for `*.slow.test.ts`. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { installPackages } from '../../infra/install-packages.ts'

const FOLDER = import.meta.dirname
const load = createRequire(resolve(FOLDER, 'package.json'))

/** Has the packages of requirements.txt, where there is a Python that can install them. */
export const PYTHON = packageFile('.python/bin/python')

/** @throws if it cannot be downloaded; without those for Python, a few tests are skipped. */
export function installAll(): void {
  installPackages(FOLDER, () => console.info('npm ci in test/all (once, about 1 GB)'))
  if (succeeds(PYTHON, ['-c', 'import mcp'])) return
  const folder = packageFile('.python')
  const pip = ['-m', 'pip', 'install', '--quiet', '--retries', '0', '-r', 'requirements.txt']
  const isDone = succeeds('python3', ['-m', 'venv', folder]) && succeeds(PYTHON, pip)
  if (isDone) return
  // Tests take what is there for complete.
  rmSync(folder, { recursive: true, force: true })
  console.info('no packages for Python: its client is not tested')
}

function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { cwd: FOLDER, stdio: 'ignore' }).status === 0
}

/** A package by its name; its types are not there when the rest of the repository is checked. */
export function loadPackage<Exports>(name: string): Exports {
  return load(name) as Exports
}

/** A file of a package. */
export function packageFile(path: string): string {
  return resolve(FOLDER, 'node_modules', path)
}
