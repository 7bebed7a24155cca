/** The direction in which the source's folders may import each other, and what the core may not touch. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

/** Outermost first: a file may import from its own layer or a later one, never an earlier one. */
const LAYERS = ['vm', 'files', 'storage']

/** Build time and the places where a runtime is met: they may use Node. */
const BOUND_TO_NODE = /^vm\/(?:build\/|load-node\.ts)/

it('imports point one way', () => {
  const offences = sourceFiles().flatMap((file) =>
    localImports(file)
      .filter((target) => !mayImport(layerOf(file), layerOf(target)))
      .map((target) => `${file} -> ${target}`),
  )
  expect(offences).toEqual([])
})

it('only the build and the loader know Node', () => {
  const offences = sourceFiles().filter(
    (file) =>
      !BOUND_TO_NODE.test(file) &&
      /from '(?:node|cloudflare):|\bprocess\.|\bBuffer\b/.test(read(file)),
  )
  expect(offences).toEqual([])
})

it('every file says what it is for', () => {
  expect(sourceFiles().filter((file) => !read(file).startsWith('/**'))).toEqual([])
})

function mayImport(from: string, to: string): boolean {
  if (from === to || !LAYERS.includes(to)) return true // a shared leaf, such as errors.ts
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

function localImports(file: string): string[] {
  const targets = [...read(file).matchAll(/from '(\.[^']+)'/g)].map(([, target]) => target!)
  return targets.map((target) => relative(SRC, resolve(SRC, dirname(file), target)))
}

function layerOf(file: string): string {
  return file.split('/')[0]!
}
