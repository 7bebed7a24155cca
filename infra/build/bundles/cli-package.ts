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
  copyFileSync(resolve(ROOT, 'LICENSE'), resolve(folder, 'LICENSE'))
  writeFileSync(resolve(folder, 'README.md'), readme())
}

/** The command's guide, without links: the package does not contain their targets. */
function readme(): string {
  const guide = readFileSync(resolve(ROOT, 'docs/command.md'), 'utf8')
  return guide.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
}
