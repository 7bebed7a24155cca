/** `read(n)` reads directly into the string it returns. */
import { replaceExactly, type Edit } from '../wat.ts'

/** `read(n)` in `g_read`; evaluates to whether it read anything. */
const STOCK = `(call $luaL_buffinit (local.get $0) (local.get $3)) (i32.store offset=8 (local.get $3) (i32.add (local.tee $4 (call $fread (call $luaL_prepbuffsize (local.get $3) (local.get $4)) (local.get $4) (local.get $1))) (i32.load offset=8 (local.get $3)))) (call $luaL_pushresult (local.get $3)) (i32.ne (local.get $4) (i32.const 0))`

/** How `g_read` gets n. */
const STOCK_COUNT = '(i32.wrap_i64 (call $luaL_checkinteger (local.get $0) (local.get $6)))'

// Sizes have 32 bits. A larger n must not be truncated: 2^32 is not 0, but more than memory holds.
const BYTE_COUNT = `(func $byte_count (param $number i64) (result i32)
  (select (i32.wrap_i64 (local.get $number)) (i32.const -1)
   (i64.lt_u (local.get $number) (i64.const 0x80000000))))`

// FILE: rpos 4, rend 8. Strings up to 40 bytes must be interned, and short reads need a shorter
// string: both are copied.
const READ_BLOCK = `(func $read_block (param $L i32) (param $f i32) (param $bytes i32) (result i32)
  (local $start i32) (local $read i32)
  (local.set $start (i32.load offset=4 (local.get $f)))
  (if (i32.ge_u (i32.sub (i32.load offset=8 (local.get $f)) (local.get $start)) (local.get $bytes))
   (then
    (i32.store offset=4 (local.get $f) (i32.add (local.get $start) (local.get $bytes)))
    (drop (call $lua_pushlstring (local.get $L) (local.get $start) (local.get $bytes)))
    (return (i32.const 1))))
  (if (i32.lt_s (local.get $bytes) (i32.const 0))
   (then (call $luaD_throw (local.get $L) (i32.const 4))))
  (local.set $start (call $push_room (local.get $L) (local.get $bytes)))
  (local.set $read (call $fread (local.get $start) (local.get $bytes) (local.get $f)))
  (if (i32.or (i32.lt_u (local.get $read) (local.get $bytes)) (i32.le_u (local.get $bytes) (i32.const 40)))
   (then
    (drop (call $lua_pushlstring (local.get $L) (local.get $start) (local.get $read)))
    (call $lua_rotate (local.get $L) (i32.const -2) (i32.const 1))
    (call $lua_settop (local.get $L) (i32.const -2))))
  (i32.ne (local.get $read) (i32.const 0)))`

// Pushes a long string to be filled in; returns the address of its content. lua_State: top at 12,
// global state at 16 (hash seed at 72). TString: extra 6, hash 8, length 12, content 16,
// NUL-terminated.
const PUSH_ROOM = `(func $push_room (param $L i32) (param $bytes i32) (result i32)
  (local $string i32) (local $top i32)
  (local.set $string
   (call $luaC_newobj (local.get $L) (i32.const 0x14) (i32.add (local.get $bytes) (i32.const 17))))
  (i32.store8 offset=6 (local.get $string) (i32.const 0))
  (i32.store offset=8 (local.get $string) (i32.load offset=72 (i32.load offset=16 (local.get $L))))
  (i32.store offset=12 (local.get $string) (local.get $bytes))
  (i32.store8 offset=16 (i32.add (local.get $string) (local.get $bytes)) (i32.const 0))
  (local.set $top (i32.load offset=12 (local.get $L)))
  (i32.store (local.get $top) (local.get $string))
  (i32.store8 offset=8 (local.get $top) (i32.const 0x54))
  (i32.store offset=12 (local.get $L) (i32.add (local.get $top) (i32.const 16)))
  (i32.add (local.get $string) (i32.const 16)))`

/**
 * Stock Lua reads into a buffer and makes a string of it, which copies each byte once more and
 * needs twice the memory. Bytes already in the C library's buffer are taken from there.
 */
export const readBlocks: Edit = {
  name: 'blocks are read into their strings',
  apply(module) {
    module.add(READ_BLOCK)
    module.add(PUSH_ROOM)
    module.add(BYTE_COUNT)
    module.editFunction('$g_read', (stock) => {
      const count = '(call $byte_count (call $luaL_checkinteger (local.get $0) (local.get $6)))'
      const text = replaceExactly(stock, STOCK_COUNT, 1, count)
      const read = '(call $read_block (local.get $0) (local.get $1) (local.get $4))'
      return replaceExactly(text, STOCK, 1, read)
    })
  },
}
