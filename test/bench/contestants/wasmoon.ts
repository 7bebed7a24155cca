/** wasmoon: the same Lua with its own JavaScript wrapper. */
import { createRequire } from 'node:module'
import { LuaFactory } from 'wasmoon'
import type { Sandbox } from './sandbox.ts'

export const WASMOON = 'wasmoon'

const { version } = createRequire(import.meta.url)('wasmoon/package.json') as { version: string }

export const wasmoon: Sandbox = {
  name: WASMOON,
  version,
  language: 'lua',
  async prepare() {
    return async (script) => {
      // Engines of a factory share memory and files, so a fresh engine needs its own factory.
      const engine = await new LuaFactory().createEngine()
      const result: unknown = await engine.doString(script)
      engine.global.close()
      return result
    }
  },
}
