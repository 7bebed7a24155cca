/** What takes long to make, made once for all processes of a run of the tests. Node only. */
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../../infra/root.ts'
import { tempFolder } from './temp-folder.ts'

/** Where the run keeps it; set before its first file, see build-lua.ts. */
export const RUN_FOLDER = 'TEST_RUN_FOLDER'

const made = new Map<string, Promise<string>>()

/** The folder that `make` has filled; the first process that asks fills it. */
export function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = made.get(name) ?? makeOrWait(name, make)
  made.set(name, folder)
  return folder
}

async function makeOrWait(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  // Watching goes on in the same run after sources change.
  const folder = join(process.env[RUN_FOLDER] ?? tempFolder(), `${name}-${lastChange()}`)
  const [isDone, hasFailed] = [`${folder}.done`, `${folder}.failed`]
  if (mkdirSync(folder, { recursive: true }) === undefined) {
    while (!existsSync(isDone)) {
      if (existsSync(hasFailed)) throw new Error(`${name} could not be made, see the other error`)
      await sleep(50)
    }
    return folder
  }
  try {
    await make(folder)
    writeFileSync(isDone, '')
    return folder
  } catch (error) {
    writeFileSync(hasFailed, '')
    throw error
  }
}

function lastChange(): number {
  const files = ['src', 'infra/build', 'test/node'].flatMap((name) =>
    readdirSync(resolve(ROOT, name), { recursive: true, withFileTypes: true }),
  )
  const sources = files.filter((file) => file.isFile() && /\.(?:ts|lua|wasm)$/.test(file.name))
  const times = sources.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs)
  return Math.floor(Math.max(...times))
}
