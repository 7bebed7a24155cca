/** The C stack lies right above the VM's static data, unguarded: the deepest scripts must fit. */
import { loadLua } from '#lua-wasm'
import { expect, it } from 'vitest'
import type { LuaExports } from '../../../src/vm/lua-exports.ts'
import { inertImports } from '../../../src/vm/inert-imports.ts'
import {
  growMemory,
  MEMORY_MAX_PAGES,
  PAGE_BYTES,
  STACK_END,
} from '../../../src/vm/limits/memory-size.ts'

const UNTOUCHED = 0xab

/** What takes most of the C stack by itself, done at every level. */
const LEAF = `
  local function leaf()
    string.format("%99.99f %a %q", 1e308, 1/3, ("x\\n"):rep(100))
    tonumber("0x1.8p300")
    os.date("%c")
    load(("("):rep(150) .. "1" .. (")"):rep(150))
    string.find(("a"):rep(300), ("a?"):rep(180))
    table.concat({ 1, 2.5, "x" }, ",")
  end
`

/** C functions that call Lua again, each until Lua raises "C stack overflow". */
const NESTED = {
  'string.gsub': `local function deeper() leaf() return (("abc"):gsub(".", deeper)) end`,
  'string.format and __tostring': `
    local value = setmetatable({}, {})
    local function deeper() leaf() return (string.format("%s", value)) end
    getmetatable(value).__tostring = deeper`,
  'table.sort': `
    local function deeper() leaf() table.sort({ 3, 1, 2 }, function(a, b) deeper() return a < b end) end`,
  'table.concat and __index': `
    local list = setmetatable({}, { __len = function() return 1 end })
    local function deeper() leaf() return table.concat(list) end
    getmetatable(list).__index = deeper`,
  coroutines: `local function deeper() leaf() return coroutine.wrap(deeper)() end`,
  'coroutines in string.gsub': `
    local function deeper() leaf() return (("a"):gsub(".", coroutine.wrap(deeper))) end`,
  load: `local function deeper() leaf() return load(function() deeper() end) end`,
  'handlers of errors': `local function deeper() leaf() return xpcall(error, deeper) end`,
}

it.each(Object.entries(NESTED))('%s nested to the end leaves a third of it', async (_, script) => {
  const { usedBytes, stackBytes } = await stackUseOf(`${LEAF} ${script} pcall(deeper)`)
  expect(usedBytes).toBeGreaterThan(10_000)
  expect(usedBytes).toBeLessThan((stackBytes * 2) / 3)
})

/** Marks the stack of a fresh instance, runs the script and looks how far the marks are gone. */
async function stackUseOf(script: string) {
  const lua = instantiate(await loadLua())
  lua.fuel.value = 10n ** 9n
  lua.bottom.value = -(10n ** 9n)
  const top = lua.stack_pointer.value
  new Uint8Array(lua.memory.buffer).fill(UNTOUCHED, STACK_END, top)
  const text = new TextEncoder().encode(script)
  const block = lua.malloc(text.length + 1)
  new Uint8Array(lua.memory.buffer).set(text, block)
  expect(lua.run(block, text.length, 0)).toBe(0)
  const stack = new Uint8Array(lua.memory.buffer).subarray(STACK_END, top)
  return {
    usedBytes: stack.length - stack.findIndex((byte) => byte !== UNTOUCHED),
    stackBytes: stack.length,
  }
}

/** With a host that does nothing but give memory. */
function instantiate(module: WebAssembly.Module): LuaExports {
  const resize = (bytes: number) => growMemory(lua.memory, bytes, MEMORY_MAX_PAGES * PAGE_BYTES)
  const imports = inertImports(module, { 'env.emscripten_resize_heap': resize })
  const lua = new WebAssembly.Instance(module, imports).exports as unknown as LuaExports
  return lua
}
