/** Makes an npm package of the CLI bundle, without dependencies. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ROOT } from '../../root.ts'

const COMMAND = 'moonbucket.mjs'

export function addPackageFiles(folder: string): void {
  const own = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as Manifest
  const { name, version, description, license } = own
  const manifest = {
    name,
    version,
    private: true,
    description,
    license,
    type: 'module',
    engines: { node: '>=24' },
    bin: { moonbucket: COMMAND },
  }
  writeFileSync(resolve(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  copyFileSync(resolve(ROOT, 'src/cli', COMMAND), resolve(folder, COMMAND))
  for (const file of ['LICENSE', 'README.md']) {
    copyFileSync(resolve(ROOT, file), resolve(folder, file))
  }
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
}
