/** Compiles a specification as an installation would, and looks whether every part of the catalog can be used. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildRequest } from '../../src/sdk/build-request.ts'
import { Catalog, type CallEntry, type ParamEntry } from '../../src/sdk/catalog.ts'
import { checkArguments, keysOf } from '../../src/sdk/check-arguments.ts'
import { compileCatalog } from '../../src/sdk/compile/compile-catalog.ts'
import { writeModule } from '../../src/sdk/compile/write-module.ts'
import { openParams } from '../../src/sdk/reserved-names.ts'

const API = 'api'
const MAX_PARAMS = 50
const SAMPLES = {
  integer: 1,
  number: 1.5,
  boolean: true,
  array: ['a'],
  object: { a: 1 },
  string: 'a',
}
const PLAIN_TYPES =
  'any binary boolean date datetime false integer key never null number object string true'

/** What became of a specification. */
export interface CompiledFile {
  readonly catalog: Catalog
  readonly warnings: readonly string[]
  readonly gzipBytes: number
  readonly ms: number
}

/** @param settings What `[apis.api]` says beside the file. @throws {BuildFailed} */
export function compileFile(spec: string, settings: string): CompiledFile {
  const folder = mkdtempSync(join(tmpdir(), 'moonbucket-spec-'))
  try {
    const path = join(folder, 'moonbucket.toml')
    writeFileSync(path, `[apis.${API}]\nspec = ${JSON.stringify(spec)}\nwrite = true\n${settings}`)
    const begin = performance.now()
    const { texts, warnings } = compileCatalog(path, 'moonbucket.toml')
    const ms = performance.now() - begin
    const gzipBytes = gzipSync(writeModule(texts)).length
    return { catalog: new Catalog(texts), warnings, gzipBytes, ms }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Names nobody can write, requests that cannot be built, types that are not there. */
export function faultsOf(catalog: Catalog): string[] {
  const calls = Object.entries(catalog.callsOf(API))
  const names = catalog.functionsOf(API).map(({ name }) => name)
  const called = new Set(calls.map(([name]) => name))
  return [
    ...names.filter((name) => !/^[a-z_][a-z0-9_]*$/.test(name)),
    ...names.filter((name) => !called.has(name)),
    ...calls.flatMap(([name, call]) => requestFault(catalog, name, call)),
    ...unknownTypes(catalog, calls),
  ]
}

function requestFault(catalog: Catalog, name: string, call: CallEntry): string[] {
  const [api] = catalog.apis
  // All of them would be too much for some addresses.
  const open = openParams(api!, call).filter((param, i) => param.isRequired || i < MAX_PARAMS)
  const args = Object.fromEntries(open.map((param) => [keysOf(param)[1], sample(param)]))
  try {
    checkArguments(name, api!, call, args)
    const { url } = buildRequest(name, api!, call, args)
    return /%7B[^&]*%7D/.test(url.pathname) ? [`${name}: ${url.pathname}`] : []
  } catch (error) {
    return [`${name}: ${(error as Error).message}`]
  }
}

function sample({ check }: ParamEntry): unknown {
  const choices = check?.enum ?? []
  return choices.find((value) => value !== '') ?? choices[0] ?? SAMPLES[check?.type ?? 'string']
}

/** Words of types that are neither types nor names of fields. */
function unknownTypes(catalog: Catalog, calls: readonly [string, CallEntry][]): string[] {
  const types = catalog.typesOf(API)
  const known = new Set([...Object.keys(types), ...PLAIN_TYPES.split(' ')])
  const texts = [
    ...Object.values(types).map(({ text }) => text),
    ...calls.flatMap(([, { params, body, returns }]) => [
      ...params.map(({ type }) => type),
      body?.type ?? 'any',
      returns ?? 'any',
    ]),
  ]
  const words = texts
    .map((text) => text.replace(/"(?:[^"\\]|\\.)*"/g, 'string').replace(/\w+\??:/g, ''))
    .flatMap((text) => (text === '' ? ['nothing'] : (text.match(/[A-Za-z_]\w*/g) ?? [])))
  return [...new Set(words)].filter((word) => !known.has(word))
}
