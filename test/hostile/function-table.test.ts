/** A script that forges a C function reaches no function that the VM does not need. */
import { loadLua } from '#lua-wasm'
import { describe, expect, it } from 'vitest'
import {
  checkStockTable,
  NEEDED_FUNCTIONS,
  stockSlot,
  unneededSlots,
} from '../../infra/build/lua/function-table.ts'
import { Wat } from '../../infra/build/lua/wat.ts'
import { inertImports } from '../../src/vm/inert-imports.ts'
import { exportsOf } from '../../src/vm/lua-exports.ts'
import { runLua } from '../support/run-lua.ts'

const LIGHT_C_FUNCTION = 0x16
const SHORT_STRING = 0x44
const RUNTIME_ERROR = 2

describe('the function table', () => {
  it('keeps no function that opens a library, leaves the VM, runs bytecode or debugs', () => {
    const unwanted = /^(luaopen|db|ll|searcher)_|exec|pclose|popen|tmpfile|dump|file$/
    const facts = ['db_getinfo', 'db_traceback']
    expect(NEEDED_FUNCTIONS.filter((name) => unwanted.test(name))).toEqual(facts)
    const traps = unneededSlots()
    for (const name of ['luaopen_debug', 'db_sethook', 'll_require', 'io_popen', 'lua_newstate']) {
      expect(traps).toContain(stockSlot(name))
    }
  })

  it('is empty in every slot that is not on the list, and in no other', async () => {
    const { table } = await freshVm()
    const slots = Array.from({ length: table.length }, (_, slot) => slot)
    // No function has the address 0.
    expect(slots.filter((slot) => table.get(slot) === null)).toEqual([0, ...unneededSlots()])
    expect(() => table.grow(1)).toThrow(RangeError)
  })

  it('traps whichever of those slots a forged function leads to', async () => {
    const script = 'pcall(os.difftime, 1, 0)'
    const reached: number[] = []
    for (const slot of unneededSlots()) {
      if (!isTrap(await runForged(script, slot))) reached.push(slot)
    }
    expect(reached).toEqual([])
  })

  it('is what the forged functions of these tests are called by', async () => {
    const script = 'return os.difftime(1, 0)'
    expect(await runForged(script, stockSlot('os_difftime'))).toBe(0)
    expect(await runForged(script, stockSlot('luaB_error'))).toBe(RUNTIME_ERROR)
  })

  it('has every function that a script can call, and those that these return', async () => {
    const { result, error } = await runLua(`
      local seen, called = {}, 0
      local function visit(value)
        if value == nil or seen[value] then return end
        seen[value] = true
        if type(value) == "function" and value ~= visit then
          called = called + 1
          local isLoud = value == print or value == warn or value == io.write or value == os.exit
          if not isLoud then visit((select(2, pcall(value)))) end
        elseif type(value) == "table" then
          for _, field in next, value do visit(field) end
        end
        visit(getmetatable(value))
      end
      visit(_G) visit(io.stdout) visit("")
      local file = io.open("f", "w+")
      file:write("a\\n1.5\\n") file:seek("set")
      for _, made in next, {
        string.gmatch("ab", "."), file:lines(), io.lines("f"), coroutine.wrap(pcall),
        (utf8.codes("a")), (utf8.codes("a", true)), (ipairs({})), (pairs({})),
      } do visit(made) end
      pairs(setmetatable({}, { __pairs = function(t) return next, t end }))
      print(select("#", coroutine.wrap(function() return pcall(coroutine.yield, 1) end)()))
      warn("@on") warn("one ", "two") warn("@off")
      string.format("%5.2f %a %g %s", 1.5, 2.5, 1e300, ("x"):rep(5000))
      table.concat({ ("x"):rep(5000), ("y"):rep(5000) })
      load(function() return nil end)
      io.stdout:seek("cur") io.stdout:close()
      return called`)
    expect(error).toBeUndefined()
    expect(result).toBeGreaterThan(100)
  })
})

describe('the build', () => {
  it('refuses a table with other functions', () => {
    const table = (...names: string[]) =>
      new Wat(`(module\n (elem $0 (i32.const 1) ${names.join(' ')})\n)\n`)
    const numbered = Array.from({ length: 197 }, (_, index) => `$${index}`)
    expect(() => checkStockTable(table(...numbered))).not.toThrow()
    expect(() => checkStockTable(table(...numbered.slice(1)))).toThrow('expected 197')
    expect(() => checkStockTable(table('$os_exit', ...numbered.slice(1)))).toThrow(
      'slot 1 of the function table is os_exit, not f_call',
    )
  })

  it('refuses a list that names what is not in the table', () => {
    expect(() => unneededSlots(['luaB_print', 'luaB_prnt'])).toThrow(
      'luaB_prnt is not in the function table',
    )
  })
})

/** An instance without a host, with fuel. */
async function freshVm() {
  const module = await loadLua()
  const lua = exportsOf(new WebAssembly.Instance(module, inertImports(module)))
  lua.fuel.value = 1_000_000_000n
  return lua
}

/** What a memory bug would allow: the slot that `os.difftime` leads to is overwritten. */
async function runForged(script: string, slot: number): Promise<unknown> {
  const lua = await freshVm()
  const view = new DataView(lua.memory.buffer)
  view.setUint32(fieldAddress(view, 'difftime'), slot, true)
  const source = new TextEncoder().encode(script)
  const block = lua.malloc(source.length)
  new Uint8Array(lua.memory.buffer).set(source, block)
  try {
    return lua.run(block, source.length, 0)
  } catch (error) {
    return error
  }
}

/** Where a table holds a C function under a name. Node: value 0, tag 8, key's tag 9, key 16. TString: text 16. */
function fieldAddress(view: DataView, name: string): number {
  const text = new TextEncoder().encode(`${name}\0`)
  const isText = (at: number) => text.every((byte, index) => view.getUint8(at + index) === byte)
  for (let node = 0; node + 24 <= view.byteLength; node += 4) {
    if (view.getUint8(node + 8) !== LIGHT_C_FUNCTION) continue
    if (view.getUint8(node + 9) !== SHORT_STRING) continue
    const key = view.getUint32(node + 16, true)
    if (key + 16 + text.length < view.byteLength && isText(key + 16)) return node
  }
  throw new Error(`no C function is called ${name}`)
}

function isTrap(outcome: unknown): boolean {
  return outcome instanceof WebAssembly.RuntimeError
}
