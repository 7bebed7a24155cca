/**
 * Makes `src/vm/lua.wasm` out of wasmoon's binary, unless it is there and nothing it depends on changed.
 * Run by npm before dev, test and build; `--force` builds in any case.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** The edits rely on the text of this one binary. */
const GLUE_SHA256 = '95f3f19ddb740125883bc41d5ec670cd0828e7b58c8bdad385323cbff497b55c'
const TARGET = fileURLToPath(new URL('../lua.wasm', import.meta.url))
const STAMP = `${TARGET}.inputs`
/** Sources outside of this folder that the build reads. */
const SHARED = ['errno.ts', 'host-functions.ts', 'lua-exports.ts', 'memory-size.ts', '../limits.ts']

/** Wasmoon's binary, checked. */
export function readGlue(): Uint8Array {
  const glue = readFileSync(createRequire(import.meta.url).resolve('wasmoon/dist/glue.wasm'))
  const hash = createHash('sha256').update(glue).digest('hex')
  if (hash !== GLUE_SHA256) {
    throw new Error(
      `wasmoon's glue.wasm has hash ${hash}, but the edits are written for ${GLUE_SHA256}`,
    )
  }
  return glue
}

/** Builds the module if need be; answers whether it did. */
export async function buildLua({ force = false } = {}): Promise<boolean> {
  const inputs = hashInputs()
  const isFresh = existsSync(TARGET) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === inputs
  if (isFresh && !force) return false
  const { makeLua } = await import('./make-lua.ts')
  const binary = makeLua(readGlue())
  // Two builds at once must not show each other half a file.
  const partial = `${TARGET}.${process.pid}`
  writeFileSync(partial, binary)
  renameSync(partial, TARGET)
  writeFileSync(STAMP, inputs)
  const kilobytes = (bytes: number) => Math.round(bytes / 1000)
  console.info(
    `lua.wasm: ${kilobytes(binary.length)} KB, ${kilobytes(gzipSync(binary).length)} KB gzip`,
  )
  return true
}

function hashInputs(): string {
  const hash = createHash('sha256').update(GLUE_SHA256)
  const here = fileURLToPath(new URL('.', import.meta.url))
  const sources = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:ts|lua)$/.test(name),
  )
  const files = [
    ...sources.sort().map((name) => `${here}${name}`),
    ...SHARED.map((name) => `${here}../${name}`),
  ]
  for (const file of files) hash.update(file.slice(here.length)).update(readFileSync(file))
  return hash.digest('hex')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildLua({ force: process.argv.includes('--force') })
}
