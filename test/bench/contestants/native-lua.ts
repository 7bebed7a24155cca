/** Native Lua: a process per script, on the local disk. */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../support/temp-folder.ts'
import type { Sandbox } from './sandbox.ts'

export const NATIVE = 'native lua5.4, a process each'

const COMMAND = 'lua5.4'
const ADVICE =
  'did not install: no lua5.4 on this machine (Debian: apt-get install lua5.4; macOS: brew install lua@5.4)'

/** `undefined` if not installed. */
export function nativeVersion(): string | undefined {
  const { stdout } = spawnSync(COMMAND, ['-v'], { encoding: 'utf8' })
  return /^Lua (\S+)/.exec(stdout ?? '')?.[1]
}

/** Runs scripts in this folder; if Lua is missing, returns advice to install it. */
export function nativeIn(folder: string): ((script: string) => string) | { missing: string } {
  if (nativeVersion() === undefined) return { missing: ADVICE }
  return (script) => {
    writeFileSync(join(folder, 'script'), script)
    return execFileSync(COMMAND, ['script'], { cwd: folder, encoding: 'utf8' })
  }
}

export const nativeLua: Sandbox = {
  name: NATIVE,
  version: nativeVersion() ?? '',
  language: 'lua',
  async prepare() {
    const run = nativeIn(tempFolder())
    if (typeof run !== 'function') throw new Error(run.missing)
    return (script) => Number(run(`print((function() ${script}\nend)())`))
  },
}
