/** Loads the VM's module in workerd, which compiles it ahead of time and allows no other way. */
import lua from './lua.wasm'
import { assertCanSuspend } from './await.ts'

export async function loadLua(): Promise<WebAssembly.Module> {
  assertCanSuspend()
  return lua
}
