/** Vector instructions for the host's search in files: JavaScript has none. */
import type { Edit } from '../wat.ts'

/** Vectors per step. */
const VECTORS = [0, 1, 2, 3]
const VECTOR_BYTES = 16
const STEP_BYTES = VECTORS.length * VECTOR_BYTES
const NEWLINE = 10

/** Bits of a vector in which both probes hit. Reads up to a step beyond the end. */
const hits = (vector: number) => {
  const load = (probe: string) =>
    `(v128.load offset=${vector * VECTOR_BYTES} align=1 (i32.add (local.get $at) (local.get ${probe})))`
  return `(local.tee $v${vector} (v128.and
    (i8x16.eq ${load('$first')} (local.get $a))
    (i8x16.eq ${load('$second')} (local.get $b))))`
}

const checkHits = (vector: number) => `
  (local.set $hits (i8x16.bitmask (local.get $v${vector})))
  (loop $hit${vector}
   (if (local.get $hits)
    (then
     (local.set $here
      (i32.add (i32.add (local.get $at) (i32.const ${vector * VECTOR_BYTES})) (i32.ctz (local.get $hits))))
     (if (i32.gt_s (local.get $here) (local.get $last)) (then (return (i32.const -1))))
     (local.set $i (i32.const 0))
     (block $differs
      (loop $same
       (if (i32.eq (local.get $i) (local.get $length)) (then (return (local.get $here))))
       (br_if $differs
        (i32.ne
         (i32.load8_u (i32.add (local.get $here) (local.get $i)))
         (i32.load8_u (i32.add (local.get $text) (local.get $i)))))
       (local.set $i (i32.add (local.get $i) (i32.const 1)))
       (br $same)))
     (local.set $hits (i32.and (local.get $hits) (i32.sub (local.get $hits) (i32.const 1))))
     (br $hit${vector}))))`

/** Where the text is next, or -1. Two of its bytes are probed: rare ones, far from each other. */
const FIND_TEXT = `(func $find_text
  (param $at i32) (param $end i32) (param $text i32) (param $length i32)
  (param $first i32) (param $second i32) (result i32)
  (local $last i32) (local $hits i32) (local $here i32) (local $i i32)
  (local $a v128) (local $b v128)
  ${VECTORS.map((vector) => `(local $v${vector} v128)`).join(' ')}
  (local.set $last (i32.sub (local.get $end) (local.get $length)))
  (local.set $a (i8x16.splat (i32.load8_u (i32.add (local.get $text) (local.get $first)))))
  (local.set $b (i8x16.splat (i32.load8_u (i32.add (local.get $text) (local.get $second)))))
  (loop $step
   (if (i32.gt_s (local.get $at) (local.get $last)) (then (return (i32.const -1))))
   (if (v128.any_true
     ${VECTORS.map(hits).reduce((all, one) => `(v128.or ${all} ${one})`)})
    (then ${VECTORS.map(checkHits).join('')}))
   (local.set $at (i32.add (local.get $at) (i32.const ${STEP_BYTES})))
   (br $step))
  (unreachable))`

/** Sums of lanes overflow after 255 steps: they are added up before. */
const SUM_LANES = `(local.set $count (i32.add (local.get $count)
  ${[0, 1, 2, 3]
    .map((lane) => `(i32x4.extract_lane ${lane} (local.get $wide))`)
    .reduce((all, one) => `(i32.add ${all} ${one})`)}))`

const COUNT_LINES = `(func $count_lines (param $at i32) (param $end i32) (result i32)
  (local $count i32) (local $part i32) (local $lanes v128) (local $wide v128)
  (loop $parts
   (local.set $part (i32.add (local.get $at) (i32.const ${255 * VECTOR_BYTES})))
   (if (i32.gt_u (local.get $part) (local.get $end))
    (then (local.set $part
     (i32.add (local.get $at)
      (i32.and (i32.sub (local.get $end) (local.get $at)) (i32.const -${VECTOR_BYTES}))))))
   (if (i32.lt_u (local.get $at) (local.get $part))
    (then
     (local.set $lanes (v128.const i64x2 0 0))
     (loop $vector
      (local.set $lanes (i8x16.sub (local.get $lanes)
       (i8x16.eq (v128.load align=1 (local.get $at)) (i8x16.splat (i32.const ${NEWLINE})))))
      (local.set $at (i32.add (local.get $at) (i32.const ${VECTOR_BYTES})))
      (br_if $vector (i32.lt_u (local.get $at) (local.get $part))))
     (local.set $wide
      (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $lanes))))
     ${SUM_LANES}
     (br $parts))))
  (loop $bytes
   (if (i32.lt_u (local.get $at) (local.get $end))
    (then
     (local.set $count (i32.add (local.get $count)
      (i32.eq (i32.load8_u (local.get $at)) (i32.const ${NEWLINE}))))
     (local.set $at (i32.add (local.get $at) (i32.const 1)))
     (br $bytes))))
  (local.get $count))`

/** Never called by a script, so there is nothing to meter. */
export const textScan: Edit = {
  name: 'the host can find texts and count lines',
  apply(module) {
    module.add(FIND_TEXT)
    module.add(COUNT_LINES)
    for (const name of ['find_text', 'count_lines']) {
      module.add(`(export "${name}" (func $${name}))`)
    }
  },
}
