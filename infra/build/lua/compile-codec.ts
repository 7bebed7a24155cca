/** Compiles the codec for JSON from AssemblyScript to the text of a module. */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import binaryen from 'binaryen'
import { ROOT } from '../../root.ts'

const COMPILER = resolve(ROOT, 'node_modules/assemblyscript/bin/asc.js')
const FOLDER = resolve(import.meta.dirname, 'json')

/** It has neither memory nor objects of its own. */
const OPTIONS =
  '--runtime stub --importMemory --noAssert --use abort= --optimizeLevel 0 --enable simd,bulk-memory'.split(
    ' ',
  )

/** What the build depends on besides its modules. */
export function codecSources(): string[] {
  const names = readdirSync(FOLDER, { encoding: 'utf8', recursive: true }).filter((name) =>
    name.endsWith('.ts'),
  )
  return names.sort().map((name) => resolve(FOLDER, name))
}

let compiled: string | undefined

/** Names are such as `$json/decode/pushValue`. */
export function compileCodec(): string {
  return (compiled ??= optimized(
    execFileSync(process.execPath, [COMPILER, 'json/codec.ts', ...OPTIONS], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      maxBuffer: 2 ** 24,
    }),
  ))
}

/** Small functions are inlined before each is metered. */
function optimized(text: string): string {
  const module = binaryen.parseText(text)
  module.setFeatures(binaryen.Features.All)
  try {
    binaryen.setOptimizeLevel(3)
    binaryen.setShrinkLevel(0)
    module.optimize()
    return module.emitText()
  } finally {
    module.dispose()
  }
}
