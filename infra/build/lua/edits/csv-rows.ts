/** Makes Lua tables of the rows of CSV, without a host call for each field. */
import { CACHE, CLEARED } from '../../../../src/vm/csv-rows.ts'
import type { Edit } from '../wat.ts'

// lua_State: top at 12. Table: lsizenode at 7, alimit at 8, array at 12, node at 16, lastfree at
// 20. Node: 24 bytes, its value first. Values: 16 bytes, tag at 8, with bit 64 for what is
// collected. TString: tag at 4. New tables are white, and the collector is stopped: they need no
// barrier while they are filled. An emergency collection may see them half filled, and in
// generational mode makes them old: marked at 5, black is bit 32.
const ALLOCATE = `(func $row_memory (param $L i32) (param $bytes i32) (result i32)
  (local $block i32)
  (local.set $block
   (call $luaM_realloc_ (local.get $L) (i32.const 0) (i32.const 0) (local.get $bytes)))
  (if (i32.eqz (local.get $block)) (then (call $luaD_throw (local.get $L) (i32.const 4))))
  (local.get $block))`

// Copies the nodes of the template: no key is hashed again.
const NAMED_ROW = `(func $named_row (param $L i32) (param $table i32) (param $template i32) (result i32)
  (local $bytes i32) (local $from i32) (local $to i32) (local $end i32)
  (local.set $bytes
   (i32.mul (i32.const 24) (i32.shl (i32.const 1) (i32.load8_u offset=7 (local.get $template)))))
  (local.set $to (call $row_memory (local.get $L) (local.get $bytes)))
  (local.set $from (i32.load offset=16 (local.get $template)))
  (i32.store8 offset=7 (local.get $table) (i32.load8_u offset=7 (local.get $template)))
  (i32.store offset=16 (local.get $table) (local.get $to))
  (i32.store offset=20 (local.get $table)
   (i32.add (local.get $to) (i32.sub (i32.load offset=20 (local.get $template)) (local.get $from))))
  (local.set $end (i32.add (local.get $to) (local.get $bytes)))
  (loop $next_node
   (i64.store (local.get $to) (i64.load (local.get $from)))
   (i64.store offset=8 (local.get $to) (i64.load offset=8 (local.get $from)))
   (i64.store offset=16 (local.get $to) (i64.load offset=16 (local.get $from)))
   (local.set $from (i32.add (local.get $from) (i32.const 24)))
   (local.set $to (i32.add (local.get $to) (i32.const 24)))
   (br_if $next_node (i32.lt_u (local.get $to) (local.get $end))))
  (i32.load offset=16 (local.get $table)))`

const LISTED_ROW = `(func $listed_row (param $L i32) (param $table i32) (param $fields i32) (result i32)
  (local $at i32) (local $end i32)
  (local.set $at
   (call $row_memory (local.get $L) (i32.shl (local.get $fields) (i32.const 4))))
  (local.set $end (i32.add (local.get $at) (i32.shl (local.get $fields) (i32.const 4))))
  (i32.store offset=12 (local.get $table) (local.get $at))
  (i32.store offset=8 (local.get $table) (local.get $fields))
  (loop $next_value
   (i32.store8 offset=8 (local.get $at) (i32.const 0))
   (local.set $at (i32.add (local.get $at) (i32.const 16)))
   (br_if $next_value (i32.lt_u (local.get $at) (local.get $end))))
  (i32.load offset=12 (local.get $table)))`

// The first bytes of a word, the others zero.
const FIRST_BYTES = `(func $first_bytes (param $at i32) (param $count i32) (result i64)
  (if (i32.le_s (local.get $count) (i32.const 0)) (then (return (i64.const 0))))
  (if (i32.ge_s (local.get $count) (i32.const 8)) (then (return (i64.load align=1 (local.get $at)))))
  (i64.and (i64.load align=1 (local.get $at))
   (i64.shr_u (i64.const -1)
    (i64.extend_i32_u (i32.sub (i32.const 64) (i32.shl (local.get $count) (i32.const 3)))))))`

// A string of up to 16 bytes is looked for among those of the batch, which its rows keep alive.
// Entries: 16 bytes of text, the string at 16, its length at 20. Must not read beyond the memory.
const ROW_STRING = `(func $row_string (param $L i32) (param $cache i32) (param $at i32) (param $length i32) (result i32)
  (local $first i64) (local $second i64) (local $entry i32) (local $text i32)
  (if (i32.or
       (i32.gt_u (local.get $length) (i32.const 16))
       (i32.gt_u (i32.add (local.get $at) (i32.const 16)) (i32.shl (memory.size) (i32.const 16))))
   (then (return (call $luaS_newlstr (local.get $L) (local.get $at) (local.get $length)))))
  (local.set $first (call $first_bytes (local.get $at) (local.get $length)))
  (local.set $second
   (call $first_bytes (i32.add (local.get $at) (i32.const 8)) (i32.sub (local.get $length) (i32.const 8))))
  (local.set $entry
   (i32.add (local.get $cache)
    (i32.mul (i32.const ${CACHE.entryBytes})
     (i32.wrap_i64
      (i64.shr_u
       (i64.mul
        (i64.add (local.get $first) (i64.mul (local.get $second) (i64.const 0x9e3779b97f4a7c15)))
        (i64.const 0xff51afd7ed558ccd))
       (i64.const ${64 - CACHE.bits}))))))
  (if (i32.and
       (i32.and
        (i64.eq (i64.load (local.get $entry)) (local.get $first))
        (i64.eq (i64.load offset=8 (local.get $entry)) (local.get $second)))
       (i32.and
        (i32.eq (i32.load offset=20 (local.get $entry)) (local.get $length))
        (i32.ne (i32.load offset=16 (local.get $entry)) (i32.const 0))))
   (then (return (i32.load offset=16 (local.get $entry)))))
  (local.set $text (call $luaS_newlstr (local.get $L) (local.get $at) (local.get $length)))
  (i64.store (local.get $entry) (local.get $first))
  (i64.store offset=8 (local.get $entry) (local.get $second))
  (i32.store offset=16 (local.get $entry) (local.get $text))
  (i32.store offset=20 (local.get $entry) (local.get $length))
  (local.get $text))`

// The cache is before the rows. A row is the number of its fields, then for each field where its
// value goes in the row, where its text is, and how long.
const PUSH_ROWS = `(func $push_rows (export "push_rows")
  (param $L i32) (param $cache i32) (param $rows i32) (param $template i32)
  (local $at i32) (local $row i32) (local $values i32) (local $fields i32) (local $text i32)
  (local $value i32) (local $table i32)
  (local.set $at (i32.add (local.get $cache) (i32.const ${CACHE.bytes})))
  (loop $next_row
   (if (i32.ge_s (local.get $row) (local.get $rows)) (then (return)))
   (local.set $row (i32.add (local.get $row) (i32.const 1)))
   (local.set $fields (i32.load (local.get $at)))
   (call $lua_createtable (local.get $L) (i32.const 0) (i32.const 0))
   (local.set $table (i32.load (i32.sub (i32.load offset=12 (local.get $L)) (i32.const 16))))
   (local.set $values
    (if (result i32) (local.get $template)
     (then (call $named_row (local.get $L) (local.get $table) (local.get $template)))
     (else (call $listed_row (local.get $L) (local.get $table) (local.get $fields)))))
   (local.set $at (i32.add (local.get $at) (i32.const 4)))
   (block $row_done
    (loop $next_field
     (br_if $row_done (i32.eqz (local.get $fields)))
     (local.set $fields (i32.sub (local.get $fields) (i32.const 1)))
     (local.set $value (i32.add (local.get $values) (i32.load (local.get $at))))
     (if (i32.eq (i32.load offset=8 (local.get $at)) (i32.const ${CLEARED}))
      (then (i32.store8 offset=8 (local.get $value) (i32.const 0)))
      (else
       (local.set $text
        (call $row_string (local.get $L) (local.get $cache) (i32.load offset=4 (local.get $at))
         (i32.load offset=8 (local.get $at))))
       (i32.store (local.get $value) (local.get $text))
       (i32.store8 offset=8 (local.get $value)
        (i32.or (i32.load8_u offset=4 (local.get $text)) (i32.const 64)))))
     (local.set $at (i32.add (local.get $at) (i32.const 12)))
     (br $next_field)))
   (if (i32.and (i32.load8_u offset=5 (local.get $table)) (i32.const 32))
    (then (call $luaC_barrierback_ (local.get $L) (local.get $table))))
   (call $lua_rawseti (local.get $L) (i32.const -2) (i64.extend_i32_s (local.get $row)))
   (br $next_row)))`

export const csvRows: Edit = {
  name: 'rows of CSV become tables',
  apply(module) {
    for (const added of [ALLOCATE, NAMED_ROW, LISTED_ROW, FIRST_BYTES, ROW_STRING, PUSH_ROWS]) {
      module.add(added)
    }
  },
}
