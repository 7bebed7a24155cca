/** `table.sort` calls its comparison with less ado. */
import type { Edit } from '../wat.ts'

/** Negative indices of the values to compare, and what stock code pushes for them. */
const COMPARISONS = [
  { smaller: -1, larger: -2 },
  { smaller: -3, larger: -1 },
]

// lua_State: top at 12, ci at 20. CallInfo: func at 0. A value has 16 bytes, its tag is at 8; nil
// and false are the tags whose low bits are 0, and 1.
const copy = (slot: number, from: string) => `(local.set $from ${from})
  (i64.store offset=${16 * slot} (local.get $top) (i64.load (local.get $from)))
  (i32.store8 offset=${16 * slot + 8} (local.get $top) (i32.load8_u offset=8 (local.get $from)))`
const atIndex = (local: string) =>
  `(i32.add (local.get $top) (i32.shl (local.get ${local}) (i32.const 4)))`

const LESS = `(func $sort_less (param $L i32) (param $smaller i32) (param $larger i32) (result i32)
  (local $top i32) (local $from i32) (local $tag i32)
  (local.set $top (i32.load offset=12 (local.get $L)))
  ${copy(0, '(i32.add (i32.load (i32.load offset=20 (local.get $L))) (i32.const 32))')}
  ${copy(1, atIndex('$smaller'))}
  ${copy(2, atIndex('$larger'))}
  (i32.store offset=12 (local.get $L) (i32.add (local.get $top) (i32.const 48)))
  (call $luaD_callnoyield (local.get $L) (local.get $top) (i32.const 1))
  (local.set $top (i32.sub (i32.load offset=12 (local.get $L)) (i32.const 16)))
  (i32.store offset=12 (local.get $L) (local.get $top))
  (local.set $tag (i32.load8_u offset=8 (local.get $top)))
  (i32.and
   (i32.ne (local.get $tag) (i32.const 1))
   (i32.ne (i32.and (local.get $tag) (i32.const 15)) (i32.const 0))))`

/** Through the API, what surrounds the call takes as long as the call. */
export const sort: Edit = {
  name: 'table.sort calls its comparison directly',
  apply(module) {
    module.add(LESS)
    for (const { smaller, larger } of COMPARISONS) {
      const push = (index: number) => `(call $lua_pushvalue (local.get $0) (i32.const ${index}))`
      const stock = [
        push(2),
        push(smaller - 1),
        push(larger - 2),
        '(call $lua_callk (local.get $0) (i32.const 2) (i32.const 1) (i32.const 0) (i32.const 0))',
        '(local.set $6 (call $lua_toboolean (local.get $0) (i32.const -1)))',
        '(call $lua_settop (local.get $0) (i32.const -2))',
      ].join(' ')
      const less = `(local.set $6
        (call $sort_less (local.get $0) (i32.const ${smaller}) (i32.const ${larger})))`
      module.replaceIn('$auxsort', stock, less)
    }
  },
}
