/**
 * Fast paths for writing and for reading lines, straight on the C library's buffer, and the write limit.
 *
 * The stock code formats through `fprintf` and reads lines byte by byte; with these, files are about as fast
 * as in native Lua. Whatever does not fit the buffer, or is unusual, goes to the stock function.
 */
import { replaceExactly, type Edit } from '../wat.ts'

/** A multiple of what a terminal-minded C library takes: fewer crossings, still small for 64 handles. */
const BUFFER_BYTES = 16_384
/** The copy below moves 8 bytes at a time and may touch up to 7 bytes after the last. */
const SLACK_BYTES = 8
/** Size of the FILE structure with the bytes for `ungetc`, before the buffer. */
const FILE_BYTES = 152

// FILE: rpos 4, rend 8, wend 16, wpos 20, fd 60, lbf 80 (a line-buffered file has its newline there).
const READ_LINE = `(func $read_line (param $L i32) (param $f i32) (param $chop i32) (result i32)
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
    (if (i32.ge_u (local.get $at) (local.get $end))
     (then (return (call $read_line.stock (local.get $L) (local.get $f) (local.get $chop)))))
    (br_if $found (i32.eq (i32.load8_u (local.get $at)) (i32.const 10)))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (br $bytes)))
  (i32.store offset=4 (local.get $f) (i32.add (local.get $at) (i32.const 1)))
  (drop
   (call $lua_pushlstring (local.get $L) (local.get $start)
    (i32.add (i32.sub (local.get $at) (local.get $start)) (i32.eqz (local.get $chop)))))
  (i32.const 1))`

// Strings count exactly; no number takes more than 24 bytes. The host counts exactly when the credit is
// spent, and raises before anything of this call is written. The handle is on top of the arguments.
const WRITE = `(func $g_write (param $L i32) (param $f i32) (param $first i32) (result i32)
  (local $last i32) (local $i i32) (local $need i64) (local $bytes i32) (local $to i32)
  (local.set $last (i32.sub (call $lua_gettop (local.get $L)) (i32.const 1)))
  ;; Standard output and error have other buffers and no limit.
  (if (i32.le_s (i32.load offset=60 (local.get $f)) (i32.const 2))
   (then (return (call $g_write.stock (local.get $L) (local.get $f) (local.get $first)))))
  (local.set $i (local.get $first))
  (loop $count
   (if (i32.le_s (local.get $i) (local.get $last))
    (then
     (local.set $need
      (i64.add (local.get $need)
       (if (result i64) (i32.eq (call $lua_type (local.get $L) (local.get $i)) (i32.const 4))
        (then (call $lua_rawlen (local.get $L) (local.get $i)))
        (else (i64.const 24)))))
     (local.set $i (i32.add (local.get $i) (i32.const 1)))
     (br $count))))
  (if (i64.gt_s (local.get $need) (global.get $credit))
   (then
    (drop (call $checked (local.get $L)
     (call $host_spend (local.get $L) (local.get $first) (local.get $last))))))
  (global.set $credit (i64.sub (global.get $credit) (local.get $need)))
  (local.set $i (local.get $first))
  (loop $next
   (if (i32.gt_s (local.get $i) (local.get $last)) (then (return (i32.const 1))))
   (local.set $to (i32.load offset=20 (local.get $f)))
   (block $written
    (block $stock
     (br_if $stock (i32.ge_s (i32.load offset=80 (local.get $f)) (i32.const 0)))
     (if (i32.eq (call $lua_type (local.get $L) (local.get $i)) (i32.const 4))
      (then
       (local.set $bytes (i32.wrap_i64 (call $lua_rawlen (local.get $L) (local.get $i))))
       (br_if $stock
        (i32.gt_u (local.get $bytes) (i32.sub (i32.load offset=16 (local.get $f)) (local.get $to))))
       (call $copy_bytes (local.get $to)
        (call $lua_tolstring (local.get $L) (local.get $i) (i32.const 0)) (local.get $bytes))
       (i32.store offset=20 (local.get $f) (i32.add (local.get $to) (local.get $bytes)))
       (br $written)))
     (br_if $stock (i32.eqz (call $lua_isinteger (local.get $L) (local.get $i))))
     (br_if $stock
      (i32.gt_u (i32.const 20) (i32.sub (i32.load offset=16 (local.get $f)) (local.get $to))))
     (i32.store offset=20 (local.get $f)
      (call $put_integer (local.get $to)
       (call $lua_tointegerx (local.get $L) (local.get $i) (i32.const 0))))
     (br $written))
    (return (call $g_write.stock (local.get $L) (local.get $f) (local.get $i))))
   (local.set $i (i32.add (local.get $i) (i32.const 1)))
   (br $next))
  (unreachable))`

// The engine's memory.copy is a call; most strings are short. Reading past the end of a string stays
// inside memory, because the heap ends in the allocator's own book-keeping.
const COPY_BYTES = `(func $copy_bytes (param $to i32) (param $from i32) (param $bytes i32)
  (local $end i32)
  (if (i32.gt_u (local.get $bytes) (i32.const 64))
   (then (memory.copy (local.get $to) (local.get $from) (local.get $bytes)) (return)))
  (local.set $end (i32.add (local.get $to) (local.get $bytes)))
  (loop $words
   (if (i32.lt_u (local.get $to) (local.get $end))
    (then
     (i64.store align=1 (local.get $to) (i64.load align=1 (local.get $from)))
     (local.set $to (i32.add (local.get $to) (i32.const 8)))
     (local.set $from (i32.add (local.get $from) (i32.const 8)))
     (br $words)))))`

// Digits from the last to the first, after counting them; answers where the number ends.
const PUT_INTEGER = `(func $put_integer (param $to i32) (param $value i64) (result i32)
  (local $rest i64) (local $end i32)
  (if (i64.lt_s (local.get $value) (i64.const 0))
   (then
    (i32.store8 (local.get $to) (i32.const 45))
    (local.set $to (i32.add (local.get $to) (i32.const 1)))
    (local.set $value (i64.sub (i64.const 0) (local.get $value)))))
  (local.set $rest (local.get $value))
  (local.set $end (local.get $to))
  (loop $count
   (local.set $end (i32.add (local.get $end) (i32.const 1)))
   (br_if $count
    (i64.ne (local.tee $rest (i64.div_u (local.get $rest) (i64.const 10))) (i64.const 0))))
  (local.set $to (local.get $end))
  (loop $digits
   (local.set $rest (i64.div_u (local.get $value) (i64.const 10)))
   (i32.store8 (local.tee $to (i32.sub (local.get $to) (i32.const 1)))
    (i32.add (i32.const 48)
     (i32.wrap_i64 (i64.sub (local.get $value) (i64.mul (local.get $rest) (i64.const 10))))))
   (br_if $digits (i64.ne (local.tee $value (local.get $rest)) (i64.const 0))))
  (local.get $end))`

export const fastFiles: Edit = {
  name: 'files are fast and writing is limited',
  apply(module) {
    module.add('(import "host" "spend" (func $host_spend (param i32 i32 i32) (result i32)))')
    module.add('(global $credit (export "credit") (mut i64) (i64.const 0))')
    module.wrapFunction('$read_line', READ_LINE)
    module.wrapFunction('$g_write', WRITE)
    module.add(COPY_BYTES)
    module.add(PUT_INTEGER)
    module.editFunction('$__fdopen', (text) => {
      const size = FILE_BYTES + BUFFER_BYTES + SLACK_BYTES
      return replaceExactly(
        replaceExactly(text, '(i32.const 1176)', 1, `(i32.const ${size})`),
        '(i32.store offset=48 (local.get $2) (i32.const 1024))',
        1,
        `(i32.store offset=48 (local.get $2) (i32.const ${BUFFER_BYTES}))`,
      )
    })
  },
}
