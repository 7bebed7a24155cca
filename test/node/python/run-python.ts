/** Runs Python programs that have the module, against a service on loopback. */
import { execFile, spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { tempFolder } from '../../support/temp-folder.ts'
import { isAll } from '../../support/tier.ts'

export const ROOT = resolve(import.meta.dirname, '../../..')
/** Optional for `npm test`; under `npm run test:all` its absence is a failure. */
export const hasPython = isAll || spawnSync('python3', ['--version']).status === 0

/** Runs a program in a folder of its own; returns what it prints. */
export async function python(program: string, url: string, token: string): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: join(ROOT, 'examples'),
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUTF8: '1',
    MOONBUCKET_URL: url,
    MOONBUCKET_TOKEN: token,
  }
  const args = ['-W', 'error', '-c', program]
  const options = { env, cwd: tempFolder(), timeout: 30_000 }
  return (await promisify(execFile)('python3', args, options)).stdout
}

/** The last line of a program that has a `client`, and prints JSON. */
export async function valueOf(program: string, url: string, token: string): Promise<unknown> {
  const imports = 'import json, os\nfrom moonbucket import *\nclient = Moonbucket()\n'
  const out = await python(imports + program, url, token)
  return JSON.parse(out.trimEnd().split('\n').at(-1)!)
}
