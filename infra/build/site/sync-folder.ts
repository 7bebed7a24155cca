/** Syncs a folder in place, without removing unchanged files: it may be being served. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { PARTIAL, replaceFile } from '../up-to-date.ts'

/** @param added Extra files by name. */
export function syncFolder(
  from: string,
  to: string,
  added: Readonly<Record<string, string>> = {},
): void {
  const files = new Map<string, Uint8Array>(
    listFiles(from).map((name) => [name, readFileSync(join(from, name))]),
  )
  for (const [name, text] of Object.entries(added)) files.set(name, Buffer.from(text))
  for (const [name, bytes] of files) writeIfOther(join(to, name), bytes)
  for (const name of listFiles(to)) {
    if (!files.has(name) && !name.endsWith(PARTIAL)) rmSync(join(to, name), { force: true })
  }
}

/** Recursive. */
export function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

function writeIfOther(path: string, bytes: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(bytes)) return
  mkdirSync(dirname(path), { recursive: true })
  replaceFile(path, bytes)
}
