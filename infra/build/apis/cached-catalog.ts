/** Compiles a catalog once: results are kept by the content of what they were made from. */
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { CatalogTexts } from '../../../src/sdk/catalog/catalog.ts'
import { VERSION } from '../../../src/version.ts'
import { compileCatalog, inputsOf } from './compile-catalog.ts'
import { BuildFailed } from './problems.ts'

const MAX_AGE_MS = 30 * 24 * 3600 * 1000

/**
 * @param path The settings file.
 *
 * @param file Its name in messages.
 * @param folder Where results are kept; if it cannot be used, every call compiles.
 * @param say Called when it compiles, and with each warning.
 * @throws {BuildFailed}
 */
export function cachedCatalog(
  path: string,
  file: string,
  folder: string,
  say: (line: string) => void,
): CatalogTexts {
  const kept = join(folder, `${hashOf(inputsOf(path, file))}.json`)
  const before = attempt(() => JSON.parse(readFileSync(kept, 'utf8')) as CatalogTexts)
  if (before) return before
  say(`compiling the APIs of ${file}`)
  const { texts, warnings } = compileCatalog(path, file)
  for (const warning of warnings) say(`warning: ${warning}`)
  attempt(() => keep(folder, kept, texts))
  return texts
}

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256').update(VERSION)
  for (const file of files) hash.update('\0').update(read(file))
  return hash.digest('hex')
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new BuildFailed([`${file} cannot be read (${code})`])
  }
}

function keep(folder: string, kept: string, texts: CatalogTexts): void {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (Date.now() - statSync(file).mtimeMs > MAX_AGE_MS) rmSync(file)
  }
  // Atomic: commands may run concurrently.
  const partial = `${kept}.${process.pid}`
  writeFileSync(partial, JSON.stringify(texts))
  renameSync(partial, kept)
}

/** `undefined` if it fails: the cache is optional. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
