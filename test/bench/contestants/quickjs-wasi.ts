/** quickjs-wasi: QuickJS without Emscripten, compiled once and instantiated per script. */
import { readFile } from 'node:fs/promises'
import { importPeer, versionOf } from '../peers.ts'
import type { Sandbox } from './sandbox.ts'

export const QUICKJS_WASI = 'quickjs-wasi'

interface Vm {
  evalCode(code: string): { toNumber(): number; dispose(): void }
  dispose(): void
}

interface Exports {
  readonly QuickJS: { create(options: { wasm: WebAssembly.Module }): Promise<Vm> }
}

export const quickjsWasi: Sandbox = {
  name: QUICKJS_WASI,
  version: versionOf(QUICKJS_WASI),
  language: 'javascript',
  async prepare() {
    const { QuickJS } = await importPeer<Exports>(QUICKJS_WASI)
    const wasm = import.meta.resolve('quickjs-wasi/quickjs.wasm')
    const module = await WebAssembly.compile(await readFile(new URL(wasm)))
    return async (script) => {
      const vm = await QuickJS.create({ wasm: module })
      const handle = vm.evalCode(script)
      const result = handle.toNumber()
      handle.dispose()
      vm.dispose()
      return result
    }
  },
}
