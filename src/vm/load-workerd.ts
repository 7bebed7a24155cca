/** Loads the Lua module in workerd, which only allows precompiled ones. */
import lua from './lua.wasm'
import { assertCanSuspend } from './suspend.ts'

/** Asynchronous only to match Node. @throws if the runtime lacks JSPI. */
export async function loadLua(): Promise<WebAssembly.Module> {
  assertCanSuspend()
  return lua
}
