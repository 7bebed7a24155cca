/** The direction in which the source's folders may import each other, and what the core may not touch. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

/** Outermost first: a file may import from its own layer or a later one, never an earlier one. */
const LAYERS = [
  'site',
  'entry',
  'cli',
  'client',
  'demo',
  'pool',
  'app.ts',
  'sign-in',
  'auth',
  'http',
  'mcp',
  'operations',
  'sdk',
  'vm',
  'formats',
  'links',
  'files',
  'storage',
]

/** Met only in app.ts; none may lean on another. */
const PEERS = ['auth', 'http', 'mcp']

/** Build time and the places where a runtime is met: they may know which one. */
const BOUND_TO_RUNTIME =
  /^(?:entry\/|cli\/|pool\/|site\/|storage\/folder\/|demo\/serve-shop|lib\/(?:node-fetch|public-lookup)\.ts|vm\/load-node\.ts)/

it('imports point one way', () => {
  const offences = sourceFiles().flatMap((file) =>
    localImports(file)
      .filter((target) => !mayImport(layerOf(file), layerOf(target)) && !compilesApis(file, target))
      .map((target) => `${file} -> ${target}`),
  )
  expect(offences).toEqual([])
})

it('only the build, the entries and the loader know where they run', () => {
  const offences = sourceFiles().filter(
    (file) =>
      !BOUND_TO_RUNTIME.test(file) &&
      /from '(?:node|cloudflare):|\bprocess\.|\bBuffer\b/.test(codeOf(file)),
  )
  expect(offences).toEqual([])
})

it('every file says what it is for', () => {
  expect(sourceFiles().filter((file) => !read(file).startsWith('/**'))).toEqual([])
})

/** The command compiles the APIs of the folder it runs in. */
function compilesApis(file: string, target: string): boolean {
  return file === 'entry/cli.ts' && target === '../infra/build/apis/cached-catalog.ts'
}

function mayImport(from: string, to: string): boolean {
  if (to === 'infra') return false // build time
  if (from === to || to === 'lib') return true
  if (from === 'lib') return false // helpers that know nothing of the product
  if (!LAYERS.includes(to)) return true // a shared leaf, such as errors.ts
  if (PEERS.includes(from) && PEERS.includes(to)) return false
  return LAYERS.includes(from) && LAYERS.indexOf(from) < LAYERS.indexOf(to)
}

function sourceFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
}

function read(file: string): string {
  return readFileSync(join(SRC, file), 'utf8')
}

/** Without comments. */
function codeOf(file: string): string {
  return read(file).replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '')
}

function localImports(file: string): string[] {
  const targets = [...codeOf(file).matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(
    ([, target]) => target!,
  )
  return targets.map((target) => relative(SRC, resolve(SRC, dirname(file), target)))
}

function layerOf(file: string): string {
  return file.replace(/^\.\.\//, '').split('/')[0]!
}
