/** Helpers for JSON in VM memory, which save host calls and BigInt conversions. */
import type { Edit } from '../wat.ts'

export const jsonHelpers: Edit = {
  name: 'helpers for JSON',
  apply(module) {
    module.add(`(func $push_integer (export "push_integer") (param $L i32) (param $value f64)
      (call $lua_pushinteger (local.get $L) (i64.trunc_f64_s (local.get $value))))`)

    module.add(`(func $get_index (export "get_index") (param $L i32) (param $table i32) (param $i i32)
      (drop (call $lua_rawgeti (local.get $L) (local.get $table) (i64.extend_i32_s (local.get $i)))))`)

    module.add(`(func $set_index (export "set_index") (param $L i32) (param $table i32) (param $i i32)
      (call $lua_rawseti (local.get $L) (local.get $table) (i64.extend_i32_s (local.get $i))))`)

    // The number of elements if the keys are exactly 1..n, otherwise -1.
    module.add(`(func $array_length (export "array_length") (param $L i32) (param $table i32) (result i32)
      (local $border i64) (local $count i64)
      (local.set $border (call $lua_rawlen (local.get $L) (local.get $table)))
      (call $lua_pushnil (local.get $L))
      (loop $next
       (if (call $lua_next (local.get $L) (local.get $table))
        (then
         (call $lua_settop (local.get $L) (i32.const -2))
         (if (i32.or
              (i32.eqz (call $lua_isinteger (local.get $L) (i32.const -1)))
              (i64.ge_u
               (i64.sub (call $lua_tointegerx (local.get $L) (i32.const -1) (i32.const 0)) (i64.const 1))
               (local.get $border)))
          (then (call $lua_settop (local.get $L) (i32.const -2)) (return (i32.const -1))))
         (local.set $count (i64.add (local.get $count) (i64.const 1)))
         (br $next))))
      (if (i64.ne (local.get $count) (local.get $border)) (then (return (i32.const -1))))
      (i32.wrap_i64 (local.get $count)))`)
  },
}
