/** Reading files. */
import type { Edit } from '../wat.ts'
import { quietFunction } from './host-functions.ts'

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
    const count = '(call $byte_count (call $luaL_checkinteger (local.get $0) (local.get $6)))'
    module.replaceIn('$g_read', STOCK_COUNT, count)
    const read = '(call $read_block (local.get $0) (local.get $1) (local.get $4))'
    module.replaceIn('$g_read', STOCK, read)
  },
}

// The buffer of `read("a")` is the one filled in a loop. FILE: fd 60. The block yields the result.
const START_OF_READ_ALL = '(call $luaL_buffinit (local.get $0) (local.get $3)) (loop $label2 '
const REFUSAL = `(if
  (local.tee $4
   (call $checked (local.get $0)
    (call $host_read_all (local.get $0) (i32.load offset=60 (local.get $1)))))
  (then (br $block16 (local.get $4)))) `

/** Without this, a well-meant script reads for minutes and ends with "not enough memory". */
export const wholeFiles: Edit = {
  name: 'reading all of a file asks the host',
  apply(module) {
    module.replaceIn('$g_read', START_OF_READ_ALL, REFUSAL + START_OF_READ_ALL)
  },
}

const READING = ['$f_read', '$io_readline']

/**
 * Between the values of one `read`, and before the iterator of `lines` closes its file, the stock
 * functions use a FILE that a finalizer could close: a use after free.
 */
export const safeReading: Edit = {
  name: 'finalizers wait while a file is read',
  apply(module) {
    for (const name of READING) {
      const quiet = `(func ${name} (param $L i32) (result i32) (local $results i32)
        (local.set $results (call ${name}.quiet (local.get $L)))
        (call $step_if_due (local.get $L))
        (local.get $results))`
      module.wrapFunction(name, quiet, `${name}.unsafe`)
      module.add(quietFunction(`${name}.quiet`, ['$L'], `(call ${name}.unsafe (local.get $L))`))
    }
  },
}

// FILE: rpos at 4, rend at 8, seek at 40. The stock code clears both positions in one store.
const FORGET_READ_AHEAD = '(i64.store offset=4 align=4 (local.get $0) (i64.const 0))'
const STEP_BACK = `(if (i32.ne (i32.load offset=4 (local.get $0)) (i32.load offset=8 (local.get $0)))
  (then
   (drop
    (call_indirect (param i32 i64 i32) (result i64)
     (local.get $0)
     (i64.extend_i32_s
      (i32.sub (i32.load offset=4 (local.get $0)) (i32.load offset=8 (local.get $0))))
     (i32.const 1)
     (i32.load offset=40 (local.get $0))))))`

/**
 * Undefined in C. glibc, and so native Lua on Linux, behaves like this; musl discards the bytes it
 * has read ahead and writes after them.
 */
export const switchDirection: Edit = {
  name: 'writing goes on where reading stopped',
  apply(module) {
    module.replaceIn('$__towrite', FORGET_READ_AHEAD, `${STEP_BACK} ${FORGET_READ_AHEAD}`)
  },
}

// `f_seek` narrows the offset to 32 bits on its way to `fseeko`, and the result of `ftello`.
const OFFSET_CHECK =
  '(if (i64.ge_u (i64.add (local.get $4) (i64.const 2147483648)) (i64.const 4294967296)) (then (drop (call $luaL_argerror (local.get $0) (i32.const 3) (i32.const 5928)))))'
const NARROW_OFFSET = '(local.set $4 (i64.extend_i32_s (local.get $3)))'
const POSITION =
  '(block $block1 (result i64) (if (i32.lt_s (i32.load offset=76 (local.get $1)) (i32.const 0)) (then (br $block1 (call $ftello (local.get $1))))) (call $ftello (local.get $1)))'
const NARROW_POSITION = `(i64.extend_i32_s (block $block2 (result i32) (if (i64.ge_s (local.tee $4 ${POSITION}) (i64.const 2147483648)) (then (i32.store (i32.const 31456) (i32.const 61)) (br $block2 (i32.const -1)))) (i32.wrap_i64 (local.get $4))))`

/** Native Lua on Linux is built so; in this binary a C `long` has 32 bits. */
export const largeFiles: Edit = {
  name: 'seek reaches every byte of a file beyond 2 GiB',
  apply(module) {
    module.replaceIn('$f_seek', OFFSET_CHECK, '(nop)')
    module.replaceIn('$f_seek', NARROW_OFFSET, '(nop)')
    module.replaceIn('$f_seek', NARROW_POSITION, '(call $ftello (local.get $1))')
  },
}
