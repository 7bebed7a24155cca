/** Loads the VM's module in workerd, which compiles it ahead of time and allows no other way. */
import lua from './lua.wasm'
import { assertCanSuspend } from './await.ts'

/** The same as in Node, though there is nothing to wait for. @throws when the runtime cannot suspend. */
export async function loadLua(): Promise<WebAssembly.Module> {
  assertCanSuspend()
  return lua
}
