/** Makes one folder like another without ever taking away what stays: somebody may be serving it. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Two builds at once must not show each other half a file, nor take it away. */
const PARTIAL = '.partial'

/** @param added Files that the other folder does not have, by name. */
export function syncFolder(
  from: string,
  to: string,
  added: Readonly<Record<string, string>> = {},
): void {
  const files = new Map<string, Uint8Array>(
    filesIn(from).map((name) => [name, readFileSync(join(from, name))]),
  )
  for (const [name, text] of Object.entries(added)) files.set(name, Buffer.from(text))
  for (const [name, bytes] of files) writeIfOther(join(to, name), bytes)
  for (const name of filesIn(to)) {
    if (!files.has(name) && !name.endsWith(PARTIAL)) rmSync(join(to, name), { force: true })
  }
}

/** The names of all files in a folder and those below it. */
export function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

function writeIfOther(path: string, bytes: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(bytes)) return
  mkdirSync(dirname(path), { recursive: true })
  const partial = `${path}.${process.pid}${PARTIAL}`
  writeFileSync(partial, bytes)
  renameSync(partial, path)
}
