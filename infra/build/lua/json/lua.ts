/**
 * What the codec uses of Lua and of the edits, under the names that the binary's functions have
 * there. The file's name is the module that they are imported from.
 */
export declare function lua_checkstack(L: i32, slots: i32): i32
export declare function lua_createtable(L: i32, items: i32, nodes: i32): void
export declare function lua_pushlstring(L: i32, start: i32, length: i32): i32
export declare function lua_rawget(L: i32, index: i32): i32
export declare function lua_rawgetp(L: i32, index: i32, key: i32): i32
export declare function lua_rawset(L: i32, index: i32): void
export declare function lua_settop(L: i32, top: i32): void
export declare function luaC_barrierback_(L: i32, table: i32): void
export declare function luaC_fullgc(L: i32, isEmergency: i32): void
export declare function luaD_throw(L: i32, status: i32): void
export declare function luaH_finishset(L: i32, table: i32, key: i32, slot: i32, value: i32): void
export declare function luaH_get(table: i32, key: i32): i32
export declare function luaH_getint(table: i32, key: i64): i32
export declare function luaH_resize(L: i32, table: i32, items: i32, nodes: i32): void
/** 0 without memory, after an emergency collection. */
export declare function luaM_realloc_(L: i32, block: i32, before: i32, after: i32): i32
export declare function luaS_createlngstrobj(L: i32, length: i32): i32
/** The C library's `strtod`, which the compiler has merged with it. */
export declare function __floatscan(text: i32, end: i32): f64
/** `memory.copy` that is fast for few bytes. */
export declare function copy(to: i32, from: i32, bytes: i32): void

/** Charges fuel beyond loops and calls, which are charged anyway. */
export declare function charge(units: i32): void
/** Ends a slice of fuel that is used up: others may run meanwhile. */
export declare function yield_if_due(): void
/** Gives the host the bytes that `SCRATCH` describes. */
export declare function give_part(L: i32): void

/** Addresses: sixteen bytes for answers, and powers of ten. */
export declare const SCRATCH: i32
export declare const POWERS: i32
