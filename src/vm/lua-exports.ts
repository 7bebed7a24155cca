/** The module's exports and the C API constants they need. */

/** An address in VM memory: a Lua thread, a C string, a buffer. */
export type Pointer = number

/** `lua_type` values. */
export const TYPE = {
  none: -1,
  nil: 0,
  boolean: 1,
  lightuserdata: 2,
  number: 3,
  string: 4,
  table: 5,
  function: 6,
  userdata: 7,
  thread: 8,
} as const

/** Status codes of `lua_resume` and `lua_load`. */
export const LUA_STATUS = { ok: 0, runtime: 2, syntax: 3, memory: 4, handler: 5 } as const

/** Sixteen bytes for results the C API returns through a pointer. */
export const SCRATCH: Pointer = 16

/** The C library's `stdout`. */
export const STDOUT: Pointer = 31_304

/**
 * At the end of the function table, in this order, instead of exported: an export costs about a
 * microsecond per start, used or not.
 */
export const TABLE_FUNCTIONS = [
  'free',
  'fflush',
  'push_integer',
  'get_index',
  'set_index',
  'json_decode',
  'json_encode',
  'push_rows',
  'lua_createtable',
  'lua_getglobal',
  'lua_gettop',
  'lua_isinteger',
  'lua_pushboolean',
  'lua_pushinteger',
  'lua_pushlstring',
  'lua_pushnil',
  'lua_pushvalue',
  'lua_rawget',
  'lua_rawset',
  'lua_setglobal',
  'lua_settop',
  'lua_toboolean',
  'lua_tointegerx',
  'lua_tolstring',
  'lua_tonumberx',
  'lua_topointer',
  'lua_type',
  'lua_typename',
  'luaL_traceback',
] as const

/** Table functions are fetched on first use. */
export function exportsOf({ exports }: WebAssembly.Instance): LuaExports {
  const { table } = exports as unknown as LuaExports
  const first = table.length - TABLE_FUNCTIONS.length
  const fetched: TableFunction[] = []
  const fetch = (place: number) => (fetched[place] = table.get(first + place) as TableFunction)
  return Object.assign(Object.create(callers) as LuaExports, exports, { fetched, fetch })
}

/** Whoever calls them afterwards gets an error: the memory may be another run's by then. */
export function forgetExports(lua: LuaExports): void {
  for (const name of Object.keys(lua)) Reflect.deleteProperty(lua, name)
}

type TableFunction = (a: unknown, b: unknown, c: unknown, d: unknown) => unknown

interface Fetched {
  readonly fetched: readonly TableFunction[]
  readonly fetch: (place: number) => TableFunction
}

const callers = Object.fromEntries(
  TABLE_FUNCTIONS.map((name, place) => [
    name,
    // No function has more than four parameters; extra arguments are ignored.
    function (this: Fetched, a: unknown, b: unknown, c: unknown, d: unknown): unknown {
      return (this.fetched[place] ?? this.fetch(place))(a, b, c, d)
    },
  ]),
)

export interface LuaExports {
  readonly table: WebAssembly.Table
  readonly memory: WebAssembly.Memory
  readonly fuel: WebAssembly.Global<'i64'>
  readonly bottom: WebAssembly.Global<'i64'>
  readonly budget: WebAssembly.Global<'i64'>
  readonly credit: WebAssembly.Global<'i64'>
  /** Whether a JavaScript frame is on the stack, so that it cannot suspend. */
  readonly below_host: WebAssembly.Global<'i32'>
  readonly stack_pointer: WebAssembly.Global<'i32'>
  readonly thread: WebAssembly.Global<'i32'>
  readonly random_state: WebAssembly.Global<'i32'>

  run(script: Pointer, bytes: number, needsSetUp: number): number
  malloc(bytes: number): Pointer
  free(block: Pointer): void
  fflush(file: Pointer): number

  push_integer(L: Pointer, value: number): void
  get_index(L: Pointer, table: number, index: number): void
  set_index(L: Pointer, table: number, index: number): void
  json_decode(L: Pointer, start: Pointer, length: number): number
  json_encode(L: Pointer, index: number, style: number, maxBytes: number): number
  push_rows(L: Pointer, rows: Pointer, count: number, template: Pointer): void

  lua_createtable(L: Pointer, array: number, hash: number): void
  lua_getglobal(L: Pointer, name: Pointer): number
  lua_gettop(L: Pointer): number
  lua_isinteger(L: Pointer, index: number): number
  lua_pushboolean(L: Pointer, value: number): void
  lua_pushinteger(L: Pointer, value: bigint): void
  lua_pushlstring(L: Pointer, bytes: Pointer, length: number): Pointer
  lua_pushnil(L: Pointer): void
  lua_pushvalue(L: Pointer, index: number): void
  lua_rawget(L: Pointer, index: number): number
  lua_rawset(L: Pointer, index: number): void
  lua_setglobal(L: Pointer, name: Pointer): void
  lua_settop(L: Pointer, index: number): void
  lua_toboolean(L: Pointer, index: number): number
  lua_tointegerx(L: Pointer, index: number, isInteger: Pointer): bigint
  lua_tolstring(L: Pointer, index: number, length: Pointer): Pointer
  lua_tonumberx(L: Pointer, index: number, isNumber: Pointer): number
  lua_topointer(L: Pointer, index: number): Pointer
  lua_type(L: Pointer, index: number): number
  lua_typename(L: Pointer, type: number): Pointer
  luaL_traceback(L: Pointer, of: Pointer, message: Pointer, level: number): void
}
