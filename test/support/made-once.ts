/** What takes long to make, made once for all processes of a run of the tests. Node only. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
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
  while (!existsSync(folder)) {
    if (hasTaken(`${folder}.lock`)) await makeWhole(folder, make)
    else await sleep(50)
  }
  return folder
}

async function makeWhole(folder: string, make: (folder: string) => Promise<void>): Promise<void> {
  const partial = `${folder}.partial`
  try {
    // Made just before the lock was given back.
    if (existsSync(folder)) return
    rmSync(partial, { recursive: true, force: true })
    mkdirSync(partial)
    await make(partial)
    renameSync(partial, folder)
  } finally {
    rmSync(`${folder}.lock`)
  }
}

/** A lock of a process that was killed is removed. */
function hasTaken(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    if (!isHeld(lock)) rmSync(lock, { force: true })
    return false
  }
}

function isHeld(lock: string): boolean {
  try {
    return process.kill(Number(readFileSync(lock, 'utf8')), 0)
  } catch (error) {
    // Otherwise it has just been given back.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
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
