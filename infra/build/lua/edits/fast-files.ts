/** Fast paths for writing and reading lines in the C library's buffer, and the write limit. */
import type { Edit } from '../wat.ts'

/** Larger than musl's default, for fewer host calls; still small with 64 open handles. */
const BUFFER_BYTES = 16_384
/** Size of FILE including the bytes for `ungetc`; the buffer follows. */
const FILE_BYTES = 152

// FILE: rpos 4, rend 8, wend 16, wpos 20, fd 60, lbf 80 (the newline if line-buffered).
// Pushes a line that is complete in the buffer, with or without its newline; returns whether it
// did.
const BUFFERED_LINE = `(func $buffered_line (param $L i32) (param $f i32) (param $chop i32) (result i32)
  (local $start i32) (local $at i32) (local $end i32) (local $word i64)
  (local.set $at (local.tee $start (i32.load offset=4 (local.get $f))))
  (local.set $end (i32.load offset=8 (local.get $f)))
  (block $found
   (block $tail
    (loop $words
     (br_if $tail (i32.gt_u (i32.add (local.get $at) (i32.const 8)) (local.get $end)))
     ;; A byte of $word is 0 where the text has a newline; the usual trick marks the first such byte.
     (local.set $word (i64.xor (i64.load align=1 (local.get $at)) (i64.const 0x0a0a0a0a0a0a0a0a)))
     (local.set $word
      (i64.and
       (i64.and (i64.sub (local.get $word) (i64.const 0x0101010101010101))
                (i64.xor (local.get $word) (i64.const -1)))
       (i64.const 0x8080808080808080)))
     (if (i64.eqz (local.get $word))
      (then (local.set $at (i32.add (local.get $at) (i32.const 8))) (br $words)))
     (local.set $at
      (i32.add (local.get $at)
       (i32.wrap_i64 (i64.shr_u (i64.ctz (local.get $word)) (i64.const 3)))))
     (br $found)))
   (loop $bytes
    (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const 0))))
    (br_if $found (i32.eq (i32.load8_u (local.get $at)) (i32.const 10)))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (br $bytes)))
  (i32.store offset=4 (local.get $f) (i32.add (local.get $at) (i32.const 1)))
  (drop
   (call $lua_pushlstring (local.get $L) (local.get $start)
    (i32.add (i32.sub (local.get $at) (local.get $start)) (i32.eqz (local.get $chop)))))
  (i32.const 1))`

const READ_LINE = `(func $read_line (param $L i32) (param $f i32) (param $chop i32) (result i32)
  (if (call $buffered_line (local.get $L) (local.get $f) (local.get $chop)) (then (return (i32.const 1))))
  (call $read_line.stock (local.get $L) (local.get $f) (local.get $chop)))`

// The iterator of `lines` without formats. lua_State: ci at 20; CallInfo: func at 0. A C closure
// has its upvalues at 16 (the handle) and 32 (the number of formats); a userdata has its content,
// FILE and closing function, at 16. Closed files and lines beyond the buffer go to the stock
// function.
const NEXT_LINE = `(func $io_readline (param $L i32) (result i32)
  (local $closure i32) (local $stream i32)
  (local.set $closure (i32.load (i32.load (i32.load offset=20 (local.get $L)))))
  (local.set $stream (i32.add (i32.load offset=16 (local.get $closure)) (i32.const 16)))
  (if (i32.and (i64.eqz (i64.load offset=32 (local.get $closure)))
               (i32.ne (i32.load offset=4 (local.get $stream)) (i32.const 0)))
   (then
    (if (call $buffered_line (local.get $L) (i32.load (local.get $stream)) (i32.const 1))
     (then (return (i32.const 1))))))
  (call $io_readline.stock (local.get $L)))`

// Every file method checks its handle; the stock check looks the metatable up by name. A userdata
// with the metatable of the last checked file is a file too, because scripts cannot assign that
// metatable. Udata: metatable at 12. The tag includes the collectable bit.
const CHECK_HANDLE = `(func $luaL_checkudata (param $L i32) (param $index i32) (param $name i32) (result i32)
  (local $slot i32) (local $stream i32)
  (local.set $slot
   (i32.add (i32.load (i32.load offset=20 (local.get $L))) (i32.shl (local.get $index) (i32.const 4))))
  (if (i32.and (i32.lt_u (local.get $slot) (i32.load offset=12 (local.get $L)))
               (i32.eq (i32.load8_u offset=8 (local.get $slot)) (i32.const 0x47)))
   (then
    (if (i32.eq (i32.load offset=12 (i32.load (local.get $slot))) (global.get $file_metatable))
     (then (return (i32.add (i32.load (local.get $slot)) (i32.const 16)))))))
  (local.set $stream (call $luaL_checkudata.stock (local.get $L) (local.get $index) (local.get $name)))
  (global.set $file_metatable (i32.load offset=12 (i32.load (local.get $slot))))
  (local.get $stream))`

// Reads arguments directly from the stack: two API calls for each would double the cost. lua_State:
// top at 12, ci at 20; CallInfo: func at 0; stack slots: 16 bytes, tag at 8. TString: length at 7
// if short, at 12 if long, content at 16. The handle itself is above the arguments.
const STRING_LENGTH = `(func $string_length (param $slot i32) (result i32)
  (local $tag i32)
  (local.set $tag (i32.and (i32.load8_u offset=8 (local.get $slot)) (i32.const 0x3f)))
  (if (i32.eq (local.get $tag) (i32.const 0x04))
   (then (return (i32.load8_u offset=7 (i32.load (local.get $slot))))))
  (if (i32.eq (local.get $tag) (i32.const 0x14))
   (then (return (i32.load offset=12 (i32.load (local.get $slot))))))
  (i32.const -1))`

// Strings count exactly, numbers as 24 bytes, their maximum. When the credit is used up, the host
// counts exactly and raises before this call writes anything.
const WRITE = `(func $g_write (param $L i32) (param $f i32) (param $first i32) (result i32)
  (local $base i32) (local $slot i32) (local $end i32) (local $need i64) (local $bytes i32) (local $to i32)
  ;; Standard output and error have other buffers and no limit.
  (if (i32.le_s (i32.load offset=60 (local.get $f)) (i32.const 2))
   (then (return (call $g_write.stock (local.get $L) (local.get $f) (local.get $first)))))
  (local.set $base (i32.load (i32.load offset=20 (local.get $L))))
  (local.set $end (i32.sub (i32.load offset=12 (local.get $L)) (i32.const 16)))
  (local.set $slot (i32.add (local.get $base) (i32.shl (local.get $first) (i32.const 4))))
  (loop $count
   (if (i32.lt_u (local.get $slot) (local.get $end))
    (then
     (local.set $bytes (call $string_length (local.get $slot)))
     (local.set $need
      (i64.add (local.get $need)
       (i64.extend_i32_u
        (select (i32.const 24) (local.get $bytes) (i32.lt_s (local.get $bytes) (i32.const 0))))))
     (local.set $slot (i32.add (local.get $slot) (i32.const 16)))
     (br $count))))
  (if (i64.gt_s (local.get $need) (global.get $credit))
   (then
    (drop (call $checked (local.get $L)
     (call $host_spend (local.get $L) (local.get $first)
      (i32.shr_u (i32.sub (local.get $end) (local.get $base)) (i32.const 4)))))))
  (global.set $credit (i64.sub (global.get $credit) (local.get $need)))
  (local.set $slot (i32.add (local.get $base) (i32.shl (local.get $first) (i32.const 4))))
  (loop $next
   (if (i32.ge_u (local.get $slot) (local.get $end)) (then (return (i32.const 1))))
   (local.set $to (i32.load offset=20 (local.get $f)))
   (block $written
    (block $stock
     (br_if $stock (i32.ge_s (i32.load offset=80 (local.get $f)) (i32.const 0)))
     (local.set $bytes (call $string_length (local.get $slot)))
     (if (i32.ge_s (local.get $bytes) (i32.const 0))
      (then
       (br_if $stock
        (i32.gt_u (local.get $bytes) (i32.sub (i32.load offset=16 (local.get $f)) (local.get $to))))
       (call $copy (local.get $to)
        (i32.add (i32.load (local.get $slot)) (i32.const 16)) (local.get $bytes))
       (i32.store offset=20 (local.get $f) (i32.add (local.get $to) (local.get $bytes)))
       (br $written)))
     (br_if $stock (i32.ne (i32.load8_u offset=8 (local.get $slot)) (i32.const 0x03)))
     (br_if $stock
      (i32.gt_u (i32.const 20) (i32.sub (i32.load offset=16 (local.get $f)) (local.get $to))))
     (i32.store offset=20 (local.get $f)
      (call $put_integer (local.get $to) (i64.load (local.get $slot))))
     (br $written))
    (return
     (call $g_write.stock (local.get $L) (local.get $f)
      (i32.shr_u (i32.sub (local.get $slot) (local.get $base)) (i32.const 4)))))
   (local.set $slot (i32.add (local.get $slot) (i32.const 16)))
   (br $next))
  (unreachable))`

/**
 * Stock Lua formats with `fprintf` and reads lines byte by byte; the fast paths make files about as
 * fast as in native Lua. Data that does not fit the buffer, and rare cases, go to the stock
 * function.
 */
export const fastFiles: Edit = {
  name: 'files are fast and writing is limited',
  apply(module) {
    module.add('(global $credit (export "credit") (mut i64) (i64.const 0))')
    // No table has this address.
    module.add('(global $file_metatable (mut i32) (i32.const 1))')
    module.wrapFunction('$luaL_checkudata', CHECK_HANDLE)
    module.add(BUFFERED_LINE)
    module.wrapFunction('$read_line', READ_LINE)
    module.wrapFunction('$io_readline', NEXT_LINE)
    module.wrapFunction('$g_write', WRITE)
    module.add(STRING_LENGTH)
    const setSize = (bytes: number) => `(i32.store offset=48 (local.get $2) (i32.const ${bytes}))`
    module.replaceIn('$__fdopen', '(i32.const 1176)', `(i32.const ${FILE_BYTES + BUFFER_BYTES})`)
    module.replaceIn('$__fdopen', setSize(1024), setSize(BUFFER_BYTES))
  },
}
