/** Compiles a script without running it. Nothing in it suspends, so it also runs in browsers. */
import { HOST_FUNCTIONS } from './host-functions.ts'
import { FuelTank } from './limits/fuel-tank.ts'
import { growMemory } from './limits/memory-size.ts'
import { inertImports } from './inert-imports.ts'
import { exportsOf, LUA_STATUS, TYPE, type LuaExports, type Pointer } from './lua-exports.ts'
import { scriptError, type ScriptError } from './script-error.ts'
import { LuaMemory, toText, withoutShebang } from './strings.ts'

/** Text only: `load` is not given the chance to take bytecode. */
const COMPILE = 'local _, message = load(source, "=script", "t") return message'
const FUEL = 2_000_000_000
const MAX_MEMORY_BYTES = 64 * 1024 * 1024

const encoder = new TextEncoder()

/** `null` if it compiles. @throws if the compiler runs out of fuel or memory. */
export function checkSyntax(module: WebAssembly.Module, script: string): ScriptError | null {
  const source = withoutShebang(encoder.encode(script))
  let message: string | null = null
  const call = (op: number, L: Pointer): number => {
    const { name } = HOST_FUNCTIONS[op]!
    if (name === '[set up]') {
      memory.push(L, source)
      memory.withText('source', (text) => lua.lua_setglobal(L, text))
    } else if (name === '[take result]') {
      if (lua.lua_type(L, 1) === TYPE.string) message = toText(memory.stringAt(L, 1))
    } else throw new Error(`the compiler called ${name}`)
    return 0
  }
  const resize = (bytes: number) => growMemory(lua.memory, bytes >>> 0, MAX_MEMORY_BYTES)
  const lua = instantiate(module, {
    'host.call': call,
    'host.wait': (op: number, L: Pointer) => (call(op, L), 1),
    'host.refuel': () => (fuel.startSlice(), 0),
    'host.resize': resize,
    'env.emscripten_resize_heap': resize,
  })
  const memory = new LuaMemory(lua)
  const fuel = new FuelTank(lua, FUEL)
  lua.below_host.value = 0
  const program = encoder.encode(COMPILE)
  const status = lua.run(memory.allocate(program), program.length, 1)
  if (status !== LUA_STATUS.ok) throw new Error(`the compiler ended with status ${status}`)
  return message === null ? null : scriptError('syntax', message)
}

/** The other imports are never called by the compiler. */
function instantiate(
  module: WebAssembly.Module,
  given: Readonly<Record<string, (...values: number[]) => number>>,
): LuaExports {
  const imports = inertImports(module, given, (name) => () => {
    throw new Error(`the compiler called ${name}`)
  })
  return exportsOf(new WebAssembly.Instance(module, imports))
}
