/** Loads the VM's module in Node: from the file beside this one. */
import { readFile } from 'node:fs/promises'
import { assertCanSuspend } from './await.ts'

export async function loadLua(): Promise<WebAssembly.Module> {
  assertCanSuspend()
  return WebAssembly.compile(await readFile(new URL('./lua.wasm', import.meta.url)))
}
