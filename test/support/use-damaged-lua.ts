/** For `node --import`: a process that loads the module whose `os.difftime` breaks the VM. */
import { registerHooks } from 'node:module'

const damaged = new URL('./damaged-lua.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === '#lua-wasm' ? damaged : specifier, context),
})
