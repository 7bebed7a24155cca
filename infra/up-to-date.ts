/**
 * One rule for what is built into the repository: it is up to date while all that its builder imports, the data it reads
 * and the packages are what they were. Their hash stands beside it, in `<target>.inputs`.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { buildSync } from 'esbuild'

const ROOT = resolve(import.meta.dirname, '..')
const LOCK = resolve(ROOT, 'package-lock.json')

/** Something that is built, and what it is made of; all paths are absolute. */
export interface Product {
  /** A file or a folder. */
  readonly target: string
  /** Modules and styles: they count with all that they import, but for packages. */
  readonly sources: readonly string[]
  /** Files that are read while building. */
  readonly data: readonly string[]
}

/** What was found. */
export interface Inputs {
  readonly areSame: boolean
  /** To call when the target is there, made of these. */
  keep(): void
}

/** Changes when a target has been built. */
export function stampOf(target: string): string {
  return `${target}.inputs`
}

export function checkInputs({ target, sources, data }: Product): Inputs {
  const hash = createHash('sha256')
  for (const path of new Set([...importsOf(sources), ...data, LOCK])) {
    hash.update(`${relative(ROOT, path)}\0`)
    // What is missing is told later, by whoever needs it.
    if (isFile(path)) hash.update(readFileSync(path))
  }
  const inputs = hash.digest('hex')
  const stamp = stampOf(target)
  return {
    areSame: existsSync(target) && isFile(stamp) && readFileSync(stamp, 'utf8') === inputs,
    keep: () => writeFileSync(stamp, inputs),
  }
}

function importsOf(sources: readonly string[]): string[] {
  const { metafile } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: [...sources],
    outdir: 'dist',
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    // Made by another build.
    external: ['*/compiled.js'],
    loader: { '.lua': 'empty', '.svg': 'empty' },
    logLevel: 'silent',
  })
  return Object.keys(metafile.inputs)
    .sort()
    .map((path) => resolve(ROOT, path))
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
