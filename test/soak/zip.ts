/** A folder of 1,000 files as one ZIP, streamed by the Node server, whose memory stays flat. */
import { execFileSync } from 'node:child_process'
import { createWriteStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { startNode } from '../runtime/start-node.ts'
import { callerOf } from '../support/caller.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { watchProcess } from './process-memory.ts'

const MIB = 1024 * 1024
const FILES = 1_000
const TENANT = 'archive'
/** Above what the idle server holds. */
const MAX_GROWTH_BYTES = 64 * MIB
const WATCH_MS = 50
const CHECK =
  'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print(z.testzip(), len(z.namelist()))'

/** Returns what is wrong. @param mib Of all files together. */
export async function soakZip(mib: number): Promise<string[]> {
  const node = await startNode({ STORAGE: 'folder', FOLDER: tempFolder() })
  const caller = callerOf(() => node.origin)
  const body = new Uint8Array(Math.floor((mib * MIB) / FILES))
  for (let i = 0; i < FILES; i++) {
    crypto.getRandomValues(body.subarray(0, 1024))
    await caller.send(TENANT, `/fs/content?path=many/${i}.bin`, { method: 'PUT', body })
  }
  const answer = await caller.post(TENANT, '/links', { path: 'many' })
  const { link } = (await answer.json()) as { link: string }
  const path = join(tempFolder(), 'many.zip')
  const memory = watchProcess(node.process.pid!, WATCH_MS)
  const before = await memory.now()
  const start = performance.now()
  const response = await fetch(`${link}&zip=1`)
  await pipeline(response.body!, createWriteStream(path))
  const seconds = (performance.now() - start) / 1000
  const grown = (await memory.end()) - before
  await node.stop()
  const checked = execFileSync('python3', ['-c', CHECK, path], { encoding: 'utf8' }).trim()
  const rate = Math.round(statSync(path).size / MIB / seconds)
  const row = { mib, files: FILES, 'MiB/s': rate, 'MiB more': Math.round(grown / MIB), checked }
  console.info(JSON.stringify(row))
  return [
    ...(checked === `None ${FILES}` ? [] : [`the ZIP of ${mib} MiB is broken: ${checked}`]),
    ...(grown > MAX_GROWTH_BYTES ? [`the ZIP of ${mib} MiB took ${row['MiB more']} MiB more`] : []),
  ]
}
