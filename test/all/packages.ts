/** Packages that only `npm run test:all` installs, for `*.slow.test.ts`. */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { installPackages } from '../../infra/install-packages.ts'

const FOLDER = import.meta.dirname
const load = createRequire(resolve(FOLDER, 'package.json'))

/** @throws if it cannot be downloaded. */
export function installAll(): void {
  installPackages(FOLDER, () => console.info('npm ci in test/all (once, about 1 GB)'))
}

/** A package by its name; its types are not there when the rest of the repository is checked. */
export function loadPackage<Exports>(name: string): Exports {
  return load(name) as Exports
}

/** A file of a package. */
export function packageFile(path: string): string {
  return resolve(FOLDER, 'node_modules', path)
}
