/** A live instance of the edited module, to set up Lua's libraries at build time. */
import { checkLayout } from './check-layout.ts'

const REGISTRY = -1_001_000
const COLLECT = 2

/** In opening order; without `debug`, of which two functions are installed, and `package`. */
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
  os: ['execute'],
}

/** Offsets in LClosure and Proto. */
const CLOSURE = { proto: 12 }
const PROTO = { codeSize: 20, linesSize: 24, protosSize: 28, protos: 56 }
/** Offsets of tables and their sizes in Proto, and bytes per entry. */
const DEBUG_TABLES = {
  lines: { size: 24, table: 64, bytes: 1 },
  locals: { size: 32, table: 72, bytes: 12 },
}

type Exports = Record<string, (...values: (number | bigint)[]) => number> & {
  readonly memory: WebAssembly.Memory
  readonly fuel: WebAssembly.Global
  readonly stack_pointer: WebAssembly.Global
  readonly main: WebAssembly.Global
  readonly thread: WebAssembly.Global
}

/** Lua code of the snapshot. */
export interface Prelude {
  readonly name: string
  readonly source: string
  /** Globals that it gets first, made if they do not exist. */
  readonly libraries: readonly string[]
  /** C functions that it gets after them. */
  readonly symbols: readonly string[]
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
    checkLayout({
      view: new DataView(this.#exports.memory.buffer),
      state: this.#state,
      call: (name, ...values) => this.#call(name, ...values),
    })
    for (const [name, opener] of Object.entries(LIBRARIES)) {
      this.#call('luaL_requiref', name, this.#slotOf(`$${opener}`), 1)
      this.#call('lua_settop', 0)
    }
    for (const [library, names] of Object.entries(ABSENT)) {
      for (const name of names) {
        this.#call('lua_getglobal', library)
        this.#call('lua_pushnil')
        this.#call('lua_setfield', 1, name)
        this.#call('lua_settop', 0)
      }
    }
  }

  /** Adds functions `library.name` to their tables, creating these if needed. */
  install(functions: readonly { name: string; symbol: string }[]): void {
    for (const { name, symbol } of functions) {
      const [library, field] = name.split('.') as [string, string]
      if (this.#call('lua_getglobal', library) === 0) {
        this.#call('lua_settop', 0)
        this.#makeLibrary(library)
      }
      this.#call('lua_pushcclosure', this.#slotOf(symbol), 0)
      this.#call('lua_setfield', 1, field)
      this.#call('lua_settop', 0)
    }
    this.#installNull()
    this.#installArrayMarks()
  }

  /** Leaves the table on the stack. Loaded, because errors take function names from there. */
  #makeLibrary(name: string): void {
    this.#call('lua_createtable', 0, 0)
    this.#call('lua_pushvalue', 1)
    this.#call('lua_setglobal', name)
    this.#call('luaL_getsubtable', REGISTRY, '_LOADED')
    this.#call('lua_pushvalue', 1)
    this.#call('lua_setfield', -2, name)
    this.#call('lua_settop', 1)
  }

  /** Only with the loaded libraries: the rest of it is Lua code. */
  makePackage(): void {
    this.#makeLibrary('package')
    this.#call('luaL_getsubtable', REGISTRY, '_LOADED')
    this.#call('lua_setfield', 1, 'loaded')
    this.#call('lua_settop', 0)
  }

  /**
   * Runs Lua source once, with tables of globals and C functions as its arguments. Errors and
   * tracebacks show its functions as if they were C.
   */
  prepare({ name, source, libraries, symbols }: Prelude): void {
    const { malloc, free, memory } = this.#exports
    for (const library of libraries) {
      if (this.#call('lua_getglobal', library) === 0) {
        this.#call('lua_settop', 0)
        this.#makeLibrary(library)
      }
      this.#call('lua_settop', 0)
    }
    const text = new TextEncoder().encode(source)
    const block = malloc!(text.length)
    new Uint8Array(memory.buffer).set(text, block)
    const loaded = this.#call('luaL_loadbufferx', block, text.length, '=[C]', 0)
    // Freed memory stays in the snapshot, where zeros take no space.
    new Uint8Array(memory.buffer).fill(0, block, block + text.length)
    free!(block)
    if (loaded === 0) this.#forgetNames(this.#word(this.#call('lua_topointer', -1) + CLOSURE.proto))
    for (const library of libraries) this.#call('lua_getglobal', library)
    for (const symbol of symbols) this.#call('lua_pushcclosure', this.#slotOf(symbol), 0)
    const status = loaded || this.#call('lua_pcallk', libraries.length + symbols.length, 0, 0, 0, 0)
    if (status !== 0) throw new Error(`the prelude ${name} failed with status ${status}`)
    this.#call('lua_settop', 0)
  }

  /**
   * Forgets lines and local names of a function and those in it. The tables stay allocated, which
   * keeps Lua's count of memory.
   */
  #forgetNames(proto: number): void {
    if (this.#word(proto + PROTO.linesSize) !== this.#word(proto + PROTO.codeSize)) {
      throw new Error('this is no function with lines')
    }
    const view = new DataView(this.#exports.memory.buffer)
    for (const { size, table, bytes } of Object.values(DEBUG_TABLES)) {
      const start = this.#word(proto + table)
      const end = start + this.#word(proto + size) * bytes
      new Uint8Array(view.buffer).fill(0, start, end)
      view.setUint32(proto + size, 0, true)
      view.setUint32(proto + table, 0, true)
    }
    const protos = this.#word(proto + PROTO.protos)
    for (let i = 0; i < this.#word(proto + PROTO.protosSize); i++) {
      this.#forgetNames(this.#word(protos + i * 4))
    }
  }

  #word(address: number): number {
    return new DataView(this.#exports.memory.buffer).getUint32(address, true)
  }

  /** Creates the script's thread; returns the memory after a full collection. */
  finish() {
    const { main, thread, free, memory, stack_pointer: stackPointer } = this.#exports
    thread.value = this.#call('lua_newthread')
    this.#call('luaL_ref', REGISTRY)
    main.value = this.#state
    const randomState = this.#randomState()
    this.#call('lua_settop', 0)
    for (const address of this.#texts.values()) free!(address)
    this.#call('lua_gc', COLLECT, 0)
    this.#call('lua_gc', COLLECT, 0)
    return {
      memory: new Uint8Array(memory.buffer.slice(0)),
      stackPointer: stackPointer.value as number,
      main: this.#state,
      thread: thread.value as number,
      randomState,
    }
  }

  /** `json.null`: a light userdata, which scripts cannot create; the type has one metatable. */
  #installNull(): void {
    this.#call('lua_getglobal', 'json')
    this.#call('lua_pushlightuserdata', 0)
    this.#call('lua_createtable', 0, 0)
    this.#call('lua_pushcclosure', this.#slotOf('$host._null_to_string_'), 0)
    this.#call('lua_setfield', -2, '__tostring')
    this.#call('lua_pushboolean', 0)
    this.#call('lua_setfield', -2, '__metatable')
    this.#call('lua_setmetatable', -2)
    this.#call('lua_setfield', -2, 'null')
    this.#call('lua_settop', 0)
  }

  /** Marks empty tables that are JSON arrays: a table with weak keys, at key 0 of the registry. */
  #installArrayMarks(): void {
    this.#call('lua_createtable', 0, 0)
    this.#call('lua_createtable', 0, 0)
    this.#call('lua_pushstring', 'k')
    this.#call('lua_setfield', -2, '__mode')
    this.#call('lua_setmetatable', -2)
    this.#call('lua_rawsetp', REGISTRY, 0)
  }

  /** The generator's state: the upvalue of `math.random`. */
  #randomState(): number {
    this.#call('lua_getglobal', 'math')
    this.#call('lua_getfield', -1, 'random')
    this.#call('lua_getupvalue', -1, 1)
    return this.#call('lua_touserdata', -1)
  }

  /** Calls the C API on the state; texts are passed as C strings. */
  #call(name: string, ...values: (number | string)[]): number {
    const passed = values.map((value) => (typeof value === 'string' ? this.#text(value) : value))
    return this.#exports[name]!(this.#state, ...passed)
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
