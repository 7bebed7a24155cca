/** quickjs-emscripten: QuickJS as it is usually embedded, with a module instance per script. */
import { readFile } from 'node:fs/promises'
import { importPeer, versionOf } from '../peers.ts'
import type { Sandbox } from './sandbox.ts'

export const QUICKJS_EMSCRIPTEN = 'quickjs-emscripten'

interface Handle {
  dispose(): void
}

interface Context extends Handle {
  evalCode(code: string): unknown
  unwrapResult(result: unknown): Handle
  dump(handle: Handle): unknown
}

interface Exports {
  readonly RELEASE_SYNC: unknown
  newVariant(base: unknown, options: { wasmModule: WebAssembly.Module }): unknown
  newQuickJSWASMModule(variant: unknown): Promise<{ newContext(): Context }>
}

export const quickjsEmscripten: Sandbox = {
  name: QUICKJS_EMSCRIPTEN,
  version: versionOf(QUICKJS_EMSCRIPTEN),
  language: 'javascript',
  async prepare() {
    const quickjs = await importPeer<Exports>(QUICKJS_EMSCRIPTEN)
    const wasm = import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
    const wasmModule = await WebAssembly.compile(await readFile(new URL(wasm)))
    const variant = quickjs.newVariant(quickjs.RELEASE_SYNC, { wasmModule })
    return async (script) => {
      const instance = await quickjs.newQuickJSWASMModule(variant)
      const context = instance.newContext()
      const handle = context.unwrapResult(context.evalCode(script))
      const result = context.dump(handle)
      handle.dispose()
      context.dispose()
      return result
    }
  },
}
