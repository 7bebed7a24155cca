/** For `node --import`: replaces Lua with the module whose `os.difftime` traps. */
import { registerHooks } from 'node:module'

const damaged = new URL('./damaged-lua.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === '#lua-wasm' ? damaged : specifier, context),
})
