/** Loads the Lua module in Node. */
import { readFile } from 'node:fs/promises'
import { assertCanSuspend } from './suspend.ts'

/** Compiled once per process; instances share the code. @throws if the runtime lacks JSPI. */
export async function loadLua(): Promise<WebAssembly.Module> {
  assertCanSuspend()
  return WebAssembly.compile(await readFile(new URL('./lua.wasm', import.meta.url)))
}
