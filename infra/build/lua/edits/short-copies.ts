/** Copies short blocks with a few loads and stores. */
import { expectCount, type Edit } from '../wat.ts'

/** Copies the first and the last word, which may overlap. */
const twoWords = (type: 'i32' | 'i64', bytes: number, first: string, last: string) =>
  `(if (i32.ge_u (local.get $bytes) (i32.const ${bytes}))
   (then
    (local.set ${first} (${type}.load align=1 (local.get $from)))
    (local.set ${last}
     (${type}.load align=1 (i32.sub (i32.add (local.get $from) (local.get $bytes)) (i32.const ${bytes}))))
    (${type}.store align=1 (local.get $to) (local.get ${first}))
    (${type}.store align=1 (i32.sub (i32.add (local.get $to) (local.get $bytes)) (i32.const ${bytes})) (local.get ${last}))
    (return)))`

const COPY = `(func $copy (param $to i32) (param $from i32) (param $bytes i32)
  (local $a i64) (local $b i64) (local $c i64) (local $d i64) (local $x i32) (local $y i32) (local $z i32)
  (if (i32.gt_u (local.get $bytes) (i32.const 32))
   (then (memory.copy (local.get $to) (local.get $from) (local.get $bytes)) (return)))
  (if (i32.ge_u (local.get $bytes) (i32.const 16))
   (then
    (local.set $a (i64.load align=1 (local.get $from)))
    (local.set $b (i64.load offset=8 align=1 (local.get $from)))
    (local.set $c
     (i64.load align=1 (i32.sub (i32.add (local.get $from) (local.get $bytes)) (i32.const 16))))
    (local.set $d
     (i64.load align=1 (i32.sub (i32.add (local.get $from) (local.get $bytes)) (i32.const 8))))
    (i64.store align=1 (local.get $to) (local.get $a))
    (i64.store offset=8 align=1 (local.get $to) (local.get $b))
    (i64.store align=1 (i32.sub (i32.add (local.get $to) (local.get $bytes)) (i32.const 16)) (local.get $c))
    (i64.store align=1 (i32.sub (i32.add (local.get $to) (local.get $bytes)) (i32.const 8)) (local.get $d))
    (return)))
  ${twoWords('i64', 8, '$a', '$b')}
  ${twoWords('i32', 4, '$x', '$y')}
  ;; One to three bytes: the first, the middle and the last, which may be the same.
  (if (local.get $bytes)
   (then
    (local.set $x (i32.load8_u (local.get $from)))
    (local.set $y
     (i32.load8_u (i32.add (local.get $from) (i32.shr_u (local.get $bytes) (i32.const 1)))))
    (local.set $z
     (i32.load8_u (i32.sub (i32.add (local.get $from) (local.get $bytes)) (i32.const 1))))
    (i32.store8 (local.get $to) (local.get $x))
    (i32.store8 (i32.add (local.get $to) (i32.shr_u (local.get $bytes) (i32.const 1))) (local.get $y))
    (i32.store8 (i32.sub (i32.add (local.get $to) (local.get $bytes)) (i32.const 1)) (local.get $z)))))`

/**
 * The compiler turned every `memcpy` into a `memory.copy`, which engines implement as a call; most
 * strings are short, and the call then dominates. All loads precede all stores, so that overlapping
 * ranges are copied correctly, as by `memory.copy`.
 */
export const shortCopies: Edit = {
  name: 'short copies are not calls of the engine',
  apply(module) {
    let copies = 0
    module.editAll((field) =>
      field.replace(/\(memory\.copy /g, () => {
        copies++
        return '(call $copy '
      }),
    )
    expectCount('(memory.copy', 35, copies)
    module.add(COPY)
  },
}
