/** Adds `moonbucket/client` to a package: a module without dependencies, and its types. */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from '../../root.ts'
import { clientDeclarations } from './declarations.ts'

export const CLIENT_EXPORTS = {
  './client': { types: './client.d.mts', default: './client.mjs' },
  './package.json': './package.json',
}

export async function addClient(folder: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/client/index.ts'],
    outfile: resolve(folder, 'client.mjs'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
  })
  writeFileSync(resolve(folder, 'client.d.mts'), clientDeclarations(folder))
}
