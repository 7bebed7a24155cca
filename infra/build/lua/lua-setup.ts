/** A live instance of the edited module, to set up Lua's libraries at build time. */

const REGISTRY = -1_001_000
const COLLECT = 2

/** In opening order; without `package` and `debug`. */
const LIBRARIES = {
  _G: 'luaopen_base',
  table: 'luaopen_table',
  string: 'luaopen_string',
  math: 'luaopen_math',
  utf8: 'luaopen_utf8',
  coroutine: 'luaopen_coroutine',
  io: 'luaopen_io',
  os: 'luaopen_os',
}

/** Removed from stock Lua. */
const ABSENT = {
  _G: ['dofile', 'loadfile'],
  string: ['dump'],
  io: ['popen', 'tmpfile', 'read', 'input', 'output', 'stdin'],
  os: ['execute', 'exit', 'getenv', 'setlocale'],
}

type Exports = Record<string, (...values: (number | bigint)[]) => number> & {
  readonly memory: WebAssembly.Memory
  readonly fuel: WebAssembly.Global
  readonly stack_pointer: WebAssembly.Global
  readonly main: WebAssembly.Global
  readonly thread: WebAssembly.Global
}

export class LuaSetup {
  readonly #exports: Exports
  readonly #state: number
  readonly #slotOf: (symbol: string) => number

  constructor(binary: Uint8Array, slotOf: (symbol: string) => number) {
    const module = new WebAssembly.Module(binary as BufferSource)
    const instance = new WebAssembly.Instance(module, importsFor(module))
    this.#exports = instance.exports as unknown as Exports
    this.#slotOf = slotOf
    this.#exports.fuel.value = 1_000_000_000n
    this.#exports.__wasm_call_ctors!()
    this.#state = this.#exports.luaL_newstate!()
  }

  /** Opens the libraries and removes what scripts must not have. */
  open(): void {
    const lua = this.#exports
    for (const [name, opener] of Object.entries(LIBRARIES)) {
      lua.luaL_requiref!(this.#state, this.#text(name), this.#slotOf(`$${opener}`), 1)
      lua.lua_settop!(this.#state, 0)
    }
    for (const [library, names] of Object.entries(ABSENT)) {
      for (const name of names) {
        lua.lua_getglobal!(this.#state, this.#text(library))
        lua.lua_pushnil!(this.#state)
        lua.lua_setfield!(this.#state, 1, this.#text(name))
        lua.lua_settop!(this.#state, 0)
      }
    }
  }

  /** Adds functions `library.name` to their tables, creating these if needed. */
  install(functions: readonly { name: string; symbol: string }[]): void {
    const lua = this.#exports
    for (const { name, symbol } of functions) {
      const [library, field] = name.split('.') as [string, string]
      if (lua.lua_getglobal!(this.#state, this.#text(library)) === 0) {
        lua.lua_settop!(this.#state, 0)
        this.#makeLibrary(library)
      }
      lua.lua_pushcclosure!(this.#state, this.#slotOf(symbol), 0)
      lua.lua_setfield!(this.#state, 1, this.#text(field))
      lua.lua_settop!(this.#state, 0)
    }
    this.#installNull()
    this.#installArrayMarks()
  }

  /** Leaves the table on the stack. Loaded, because errors take function names from there. */
  #makeLibrary(name: string): void {
    const lua = this.#exports
    lua.lua_createtable!(this.#state, 0, 0)
    lua.lua_pushvalue!(this.#state, 1)
    lua.lua_setglobal!(this.#state, this.#text(name))
    lua.luaL_getsubtable!(this.#state, REGISTRY, this.#text('_LOADED'))
    lua.lua_pushvalue!(this.#state, 1)
    lua.lua_setfield!(this.#state, -2, this.#text(name))
    lua.lua_settop!(this.#state, 1)
  }

  /** Runs Lua source once, with a global and C functions as its arguments. */
  prepare(source: string, global: string, symbols: readonly string[]): void {
    const lua = this.#exports
    const text = new TextEncoder().encode(source)
    const block = lua.malloc!(text.length)
    new Uint8Array(lua.memory.buffer).set(text, block)
    const loaded = lua.luaL_loadbufferx!(
      this.#state,
      block,
      text.length,
      this.#text(`=${global}`),
      0,
    )
    // Freed memory stays in the snapshot, where zeros take no space.
    new Uint8Array(lua.memory.buffer).fill(0, block, block + text.length)
    lua.free!(block)
    lua.lua_getglobal!(this.#state, this.#text(global))
    for (const symbol of symbols) lua.lua_pushcclosure!(this.#state, this.#slotOf(symbol), 0)
    const status = loaded || lua.lua_pcallk!(this.#state, symbols.length + 1, 0, 0, 0, 0)
    if (status !== 0) throw new Error(`the prelude of ${global} failed with status ${status}`)
    lua.lua_settop!(this.#state, 0)
  }

  /** Creates the script's thread; returns the memory after a full collection. */
  finish() {
    const lua = this.#exports
    const thread = lua.lua_newthread!(this.#state)
    lua.luaL_ref!(this.#state, REGISTRY)
    lua.main.value = this.#state
    lua.thread.value = thread
    const randomState = this.#randomState()
    lua.lua_settop!(this.#state, 0)
    this.#freeTexts()
    lua.lua_gc!(this.#state, COLLECT, 0)
    lua.lua_gc!(this.#state, COLLECT, 0)
    return {
      memory: new Uint8Array(lua.memory.buffer.slice(0)),
      stackPointer: lua.stack_pointer.value as number,
      main: this.#state,
      thread,
      randomState,
    }
  }

  /** `json.null`: a light userdata, which scripts cannot create; the type has one metatable. */
  #installNull(): void {
    const lua = this.#exports
    lua.lua_getglobal!(this.#state, this.#text('json'))
    lua.lua_pushlightuserdata!(this.#state, 0)
    lua.lua_createtable!(this.#state, 0, 0)
    lua.lua_pushcclosure!(this.#state, this.#slotOf('$host._null_to_string_'), 0)
    lua.lua_setfield!(this.#state, -2, this.#text('__tostring'))
    lua.lua_pushboolean!(this.#state, 0)
    lua.lua_setfield!(this.#state, -2, this.#text('__metatable'))
    lua.lua_setmetatable!(this.#state, -2)
    lua.lua_setfield!(this.#state, -2, this.#text('null'))
    lua.lua_settop!(this.#state, 0)
  }

  /** Marks empty tables that are JSON arrays: a table with weak keys, at key 0 of the registry. */
  #installArrayMarks(): void {
    const lua = this.#exports
    lua.lua_createtable!(this.#state, 0, 0)
    lua.lua_createtable!(this.#state, 0, 0)
    lua.lua_pushstring!(this.#state, this.#text('k'))
    lua.lua_setfield!(this.#state, -2, this.#text('__mode'))
    lua.lua_setmetatable!(this.#state, -2)
    lua.lua_rawsetp!(this.#state, REGISTRY, 0)
  }

  /** The generator's state: the upvalue of `math.random`. */
  #randomState(): number {
    const lua = this.#exports
    lua.lua_getglobal!(this.#state, this.#text('math'))
    lua.lua_getfield!(this.#state, -1, this.#text('random'))
    lua.lua_getupvalue!(this.#state, -1, 1)
    return lua.lua_touserdata!(this.#state, -1)
  }

  readonly #texts = new Map<string, number>()

  #text(value: string): number {
    const known = this.#texts.get(value)
    if (known) return known
    const bytes = new TextEncoder().encode(`${value}\0`)
    const address = this.#exports.malloc!(bytes.length)
    new Uint8Array(this.#exports.memory.buffer).set(bytes, address)
    this.#texts.set(value, address)
    return address
  }

  #freeTexts(): void {
    for (const address of this.#texts.values()) this.#exports.free!(address)
  }
}

/** Only the time may be requested during setup; it is fixed. */
function importsFor(module: WebAssembly.Module): WebAssembly.Imports {
  const imports: Record<string, Record<string, (...values: number[]) => number>> = {}
  for (const { module: space, name } of WebAssembly.Module.imports(module)) {
    imports[space] ??= {}
    imports[space][name] = () => {
      if (name === 'emscripten_date_now') return 0
      throw new Error(`the set-up called ${name}`)
    }
  }
  return imports
}
