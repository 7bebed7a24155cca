/** Makes Lua tables of the rows of CSV, without a host call for each field. */
import { CLEARED } from '../../../../src/vm/csv-rows.ts'
import type { Edit } from '../wat.ts'

// lua_State: top at 12. Table: lsizenode at 7, array at 12, node at 16, lastfree at 20. Node: 24
// bytes, its value first. Values: tag at 8, with bit 64 for what is collected. TString: tag at 4.
// New tables are white, and the collector is stopped: they need no barrier.
const PUSH_ROWS = `(func $push_rows (export "push_rows")
  (param $L i32) (param $at i32) (param $rows i32) (param $template i32)
  (local $row i32) (local $table i32) (local $values i32) (local $fields i32) (local $nodes i32)
  (local $text i32) (local $value i32)
  (if (local.get $template)
   (then
    (local.set $nodes (i32.shl (i32.const 1) (i32.load8_u offset=7 (local.get $template))))))
  (loop $next_row
   (if (i32.ge_s (local.get $row) (local.get $rows)) (then (return)))
   (local.set $row (i32.add (local.get $row) (i32.const 1)))
   (local.set $fields (i32.load (local.get $at)))
   (call $lua_createtable (local.get $L)
    (select (i32.const 0) (local.get $fields) (local.get $template)) (local.get $nodes))
   (local.set $table (i32.load (i32.sub (i32.load offset=12 (local.get $L)) (i32.const 16))))
   (if (local.get $template)
    (then
     (local.set $values (i32.load offset=16 (local.get $table)))
     (memory.copy (local.get $values) (i32.load offset=16 (local.get $template))
      (i32.mul (local.get $nodes) (i32.const 24)))
     (i32.store offset=20 (local.get $table)
      (i32.add (local.get $values)
       (i32.sub (i32.load offset=20 (local.get $template)) (i32.load offset=16 (local.get $template))))))
    (else (local.set $values (i32.load offset=12 (local.get $table)))))
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
        (call $luaS_newlstr (local.get $L) (i32.load offset=4 (local.get $at))
         (i32.load offset=8 (local.get $at))))
       (i32.store (local.get $value) (local.get $text))
       (i32.store8 offset=8 (local.get $value)
        (i32.or (i32.load8_u offset=4 (local.get $text)) (i32.const 64)))))
     (local.set $at (i32.add (local.get $at) (i32.const 12)))
     (br $next_field)))
   (call $lua_rawseti (local.get $L) (i32.const -2) (i64.extend_i32_s (local.get $row)))
   (br $next_row)))`

export const csvRows: Edit = {
  name: 'rows of CSV become tables',
  apply(module) {
    module.add(PUSH_ROWS)
  },
}
