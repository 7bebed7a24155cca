/**
 * The cache rule of every generated target: it is fresh while its builder's modules, the data it
 * reads and the lock file are unchanged. Their hash is kept in `<target>.inputs`.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { buildSync } from 'esbuild'
import { ROOT } from '../root.ts'

const LOCK = resolve(ROOT, 'package-lock.json')

/** A target and its inputs; all paths are absolute. */
export interface Product {
  /** A file or a folder. */
  readonly target: string
  /** Modules and styles; what they import counts too, packages excepted. */
  readonly sources: readonly string[]
  /** Files that are read while building. */
  readonly data: readonly string[]
}

/** The state of a target's inputs. */
export interface Inputs {
  readonly areSame: boolean
  /** Call once the target has been built from these. */
  keep(): void
}

/** The file that changes with every build of a target. */
export function stampOf(target: string): string {
  return `${target}.inputs`
}

export function checkInputs({ target, sources, data }: Product): Inputs {
  const hash = createHash('sha256')
  for (const path of new Set([...importsOf(sources), ...data, LOCK])) {
    hash.update(`${relative(ROOT, path)}\0`)
    // A missing file is reported by the build itself.
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
