/** Loads the VM's module in Node: from the file beside this one. */
import { readFile } from 'node:fs/promises'
import { assertCanSuspend } from './await.ts'

/** Compiled once per process; instances share the code. @throws when the runtime cannot suspend. */
export async function loadLua(): Promise<WebAssembly.Module> {
  assertCanSuspend()
  return WebAssembly.compile(await readFile(new URL('./lua.wasm', import.meta.url)))
}
