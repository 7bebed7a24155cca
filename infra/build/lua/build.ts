/** Builds `src/vm/lua.wasm` from wasmoon's binary if an input changed; `--force` always builds. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { ROOT } from '../../root.ts'
import { checkInputs, replaceFile } from '../up-to-date.ts'
import { codecSources } from './compile-codec.ts'
import { preludePath, PRELUDES } from './preludes.ts'

/** The edits match the text of this exact binary. */
const GLUE_SHA256 = '95f3f19ddb740125883bc41d5ec670cd0828e7b58c8bdad385323cbff497b55c'
const TARGET = resolve(ROOT, 'src/vm/lua.wasm')

/** @throws if the installed binary is not the one the edits were written for. */
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

/** Returns whether it built. */
export async function buildLua({ force = false } = {}): Promise<boolean> {
  const inputs = checkInputs({
    target: TARGET,
    sources: [fileURLToPath(import.meta.url)],
    data: [...PRELUDES.map(({ name }) => preludePath(name)), ...codecSources()],
  })
  if (inputs.areSame && !force) return false
  const { makeLua } = await import('./snapshot.ts')
  const binary = makeLua(readGlue())
  replaceFile(TARGET, binary)
  inputs.keep()
  const kilobytes = (bytes: number) => Math.round(bytes / 1000)
  console.info(
    `lua.wasm: ${kilobytes(binary.length)} KB, ${kilobytes(gzipSync(binary).length)} KB gzip`,
  )
  return true
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildLua({ force: process.argv.includes('--force') })
}
