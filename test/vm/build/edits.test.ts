/**
 * Edits of the binary by what they change: each test fails when its edit is left out. Edits that
 * scripts notice are tested elsewhere: bytecode, errors, limits, fuel and host functions.
 */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { inertImports } from '../../../src/vm/inert-imports.ts'
import { edits } from '../../../infra/build/lua/edit-binary.ts'
import { LAZY_TABLES } from '../../../infra/build/lua/edits/lazy-tables.ts'
import { preludePath, PRELUDES } from '../../../infra/build/lua/preludes.ts'
import { Statics } from '../../../infra/build/lua/statics.ts'
import { TableSlots } from '../../../infra/build/lua/function-table.ts'
import { Wat } from '../../../infra/build/lua/wat.ts'
import { loadLua } from '../../../src/vm/load-node.ts'
import { runLua } from '../../support/run-lua.ts'

let module: WebAssembly.Module

beforeAll(async () => {
  module = await loadLua()
})

const importNames = () => WebAssembly.Module.imports(module).map(({ name }) => name)
const globals = () => {
  return new WebAssembly.Instance(module, inertImports(module)).exports as Record<
    string,
    WebAssembly.Global
  > & {
    memory: WebAssembly.Memory
  }
}

describe('the build', () => {
  it('gives every edit its own name', () => {
    const names = edits(new Statics(), new TableSlots(), {}).map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  it.each(
    edits(new Statics(), new TableSlots(), {})
      .filter(changesStockCode)
      .map((edit) => [edit.name, edit]),
  )('refuses another binary: %s', (_, edit) => {
    expect(() => edit.apply(new Wat('(module\n (func $other (nop))\n)\n'))).toThrow(
      /expected|no import/,
    )
  })

  it.each(PRELUDES)('leaves no Lua source of $name in memory', ({ name }) => {
    const source = readFileSync(preludePath(name), 'utf8')
    const memory = Buffer.from(globals().memory.buffer)
    const lines = source.split('\n').filter((line) => line.length > 30)
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.filter((line) => memory.includes(line))).toEqual([])
  })

  it('exports only what the host uses', () => {
    const names = WebAssembly.Module.exports(module).map(({ name }) => name)
    expect(names).toContain('run')
    expect(
      names.filter((name) => /open|debug|dump|load|newstate|close|_emscripten|gc/.test(name)),
    ).toEqual([])
  })
})

describe('memory starts small and has a maximum', () => {
  it('has 12 pages and grows to at most 1024', () => {
    const { memory } = globals()
    expect(memory.buffer.byteLength).toBe(12 * 65_536)
    expect(() => memory.grow(1024 - 12)).not.toThrow()
    expect(() => memory.grow(1)).toThrow(RangeError)
  })
})

describe('system calls with one answer need no host', () => {
  it('leaves only these imports', () => {
    expect(importNames().toSorted()).toEqual([
      '__syscall_openat',
      '__syscall_renameat',
      '__syscall_unlinkat',
      '_gmtime_js',
      '_mktime_js',
      'abort',
      'call',
      'emscripten_date_now',
      'emscripten_resize_heap',
      'fd_close',
      'fd_read',
      'fd_seek',
      'fd_write',
      'memory',
      'read_all',
      'refuel',
      'resize',
      'spend',
      'strftime',
      'wait',
    ])
  })
})

describe('tables of math functions are written on first use', () => {
  it('leaves their pages untouched in a new instance', () => {
    const { start, end } = LAZY_TABLES
    const range = new Uint8Array(globals().memory.buffer, start, end - start)
    expect(range.every((byte) => byte === 0)).toBe(true)
  })

  it.each([
    ['math.exp(1.5)', Math.exp(1.5)],
    ['math.log(3)', Math.log(3)],
    ['math.log(3, 2)', Math.log2(3)],
    ['math.log(1000, 10)', 3],
    ['2.5 ^ 0.3', 2.5 ** 0.3],
    ['math.sin(1e22)', Math.sin(1e22)],
    ['math.cos(-1e22)', Math.cos(-1e22)],
    ['math.tan(3e9)', Math.tan(3e9)],
    ['math.atan(0.7)', Math.atan(0.7)],
    ['math.atan(-1, -2)', Math.atan2(-1, -2)],
    ['math.atan(0.0, -1)', Math.PI],
    ['math.asin(0.3)', Math.asin(0.3)],
    ['math.acos(-0.3)', Math.acos(-0.3)],
  ])('first of all calls, %s', async (expression, value) => {
    const { result } = await runLua(`return ${expression}`)
    expect(result).toBeCloseTo(value, 12)
  })

  it('needs none for the text of numbers and for printing', async () => {
    const { result, logs } = await runLua('print(1.5) return tostring(0.1) .. " " .. "2.5" * 2')
    expect({ result, logs }).toEqual({ result: '0.1 5.0', logs: ['1.5'] })
  })

  it('gives errors their texts', async () => {
    const { result } = await runLua('return select(2, io.open("missing"))')
    expect(result).toBe('missing: No such file or directory')
  })
})

describe('writing goes on where reading stopped', () => {
  it('needs no seek between the two', async () => {
    const { result } = await runLua(`
      io.open("f", "w"):write("one two three"):close()
      local f <close> = io.open("f", "r+")
      f:read(4) f:write("TWO") f:seek("set")
      return f:read("a")`)
    expect(result).toBe('one TWO three')
  })
})

describe('the stack is limited to what memory allows', () => {
  it('overflows within 32 MiB', async () => {
    const script = 'local function f() return 1 + f() end return select(2, pcall(f))'
    const { result, memoryBytes } = await runLua(script, { limits: { memoryBytes: 2 ** 25 } })
    expect(result).toBe('script:1: stack overflow')
    expect(memoryBytes).toBeLessThanOrEqual(2 ** 25)
  })
})

describe('short copies are not calls of the engine', () => {
  it.each([0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100])(
    'copies %i bytes',
    async (length) => {
      const { result } = await runLua(`
      local bytes = {}
      for i = 1, ${length} do bytes[i] = string.char(97 + i % 26) end
      local text = table.concat(bytes)
      return { text, ("<" .. text .. ">"):sub(2, -2), #text }`)
      const text = Array.from({ length }, (_, i) => String.fromCharCode(97 + ((i + 1) % 26))).join(
        '',
      )
      expect(result).toEqual([text, text, length])
    },
  )
})

describe('files are fast and writing is limited', () => {
  it('writes integers of every length', async () => {
    const { result } = await runLua(`
      local numbers, f = { 0, -1, math.mininteger, math.maxinteger }, io.open("n", "w")
      local n = 7
      for _ = 1, 18 do numbers[#numbers + 1] = n numbers[#numbers + 1] = -n n = n * 10 + 3 end
      for _, number in ipairs(numbers) do f:write(number, "\\n") end
      f:close()
      local wrong = 0
      for line in io.lines("n") do if line ~= tostring(table.remove(numbers, 1)) then wrong = wrong + 1 end end
      return { wrong, #numbers }`)
    expect(result).toEqual([0, 0])
  })

  it('finds the end of a line at every distance', async () => {
    const { result } = await runLua(`
      local f = io.open("lines", "w")
      for length = 0, 300 do f:write(("x"):rep(length), "\\n") end
      f:write(("y"):rep(70000), "\\nlast"):close()
      local lengths = {}
      for line in io.lines("lines") do lengths[#lengths + 1] = #line end
      return lengths`)
    expect(result).toEqual([...Array.from({ length: 301 }, (_, i) => i), 70_000, 4])
  })
})

describe('blocks are read into their strings', () => {
  it('needs the memory of a block once', async () => {
    const mebibyte = 2 ** 20
    const { result, error } = await runLua(
      `local f, text = io.open("f", "w"), ("x"):rep(${mebibyte})
       for _ = 1, 25 do f:write(text) end
       f:close()
       return #io.open("f"):read(${25 * mebibyte})`,
      { limits: { memoryBytes: 32 * mebibyte } },
    )
    expect({ result, error }).toEqual({ result: 25 * mebibyte, error: undefined })
  })

  it.each([2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 40, -1])(
    'does not truncate a length of %i bytes to 32 bits',
    async (bytes) => {
      const { result } = await runLua(`
        io.open("f", "w"):write("text"):close()
        local f = io.open("f")
        return { select(2, pcall(f.read, f, ${bytes})), f:read("a") }`)
      expect(result).toEqual(['not enough memory', 'text'])
    },
  )
})

describe('memory out of reach costs fuel', () => {
  it('charges for access to another megabyte', async () => {
    const units = async (entry: string) => {
      const script = `local t = {} for i = 1, 400000 do t[i] = 1 end local n = 0
        local start = os.clock() for i = 1, 10000 do n = n + t[${entry}] end return os.clock() - start`
      return ((await runLua(script)).result as number) * 250e6
    }
    expect(await units('i % 2 * 131072 + 1')).toBeGreaterThan((await units('i % 2 + 1')) + 50_000)
  })
})

describe('host functions are C functions', () => {
  it('have the error messages of C functions', async () => {
    const { result } = await runLua(`
      local function message(f, ...) return select(2, pcall(f, ...)) end
      return { message(io.open), message(json.decode, {}), message(os.exit, {}), message(io.lines) }`)
    expect(result).toEqual([
      "bad argument #1 to 'io.open' (string expected, got no value)",
      "bad argument #1 to 'json.decode' (string expected, got table)",
      "bad argument #1 to 'os.exit' (number expected, got table)",
      "bad argument #1 to 'io.lines' (string expected, got no value)",
    ])
  })
})

describe('a script runs by one call', () => {
  it('pauses without a visible effect, whether Lua can yield or not', async () => {
    // Many slices in the main thread, in a coroutine and where Lua cannot yield.
    const { result } = await runLua(
      `
      local function spin(n) local x = 0 for i = 1, n do x = x + i % 3 end return x end
      local total = spin(1e6)
      local co = coroutine.wrap(function() coroutine.yield(spin(1e6)) coroutine.yield(spin(1e6)) end)
      local a, b = co(), co()
      local t = { 2, 1 }
      table.sort(t, function(x, y) spin(1e6) return x < y end)
      return { total == a, a == b, t }`,
      { fuelSlice: 60_000 },
    )
    expect(result).toEqual([true, true, [1, 2]])
  })
})

function changesStockCode(edit: { name: string }): boolean {
  const onlyAdds = [
    'there is a tank of fuel',
    'helpers for integers',
    'rows of CSV become tables',
    'a script runs by one call',
    'the host can find texts and count lines',
  ]
  return !onlyAdds.includes(edit.name)
}
