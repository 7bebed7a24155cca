/** Memory: its size, the size of the stack, and copies. */
import {
  MEMORY_INITIAL_PAGES,
  MEMORY_MAX_PAGES,
  STACK_END,
} from '../../../../src/vm/limits/memory-size.ts'
import { dataSegment } from '../statics.ts'
import { expectCount, type Edit } from '../wat.ts'

/** Lua allows 200 nested C calls; the deepest take 200 KB. */
const STACK_BYTES = 384 * 1024
const HEAP_START = STACK_END + STACK_BYTES

/** The C library's program break, initially the start of the heap: the second of two words. */
const BREAK_SEGMENT = '(data $195 (i32.const 31448) "Hz\\00\\00@\\89\\10")'
const BREAK_ADDRESS = 31_448
const BREAK_WORDS = [0x7a48, HEAP_START]

/**
 * Growing may wait for memory that other runs hold, but not below a JavaScript frame, where an
 * import that could suspend must not be called at all. The host sets the flag.
 */
const RESIZE = `(param $bytes i32) (result i32)
  (if (global.get $below_host) (then (return (call $resize_now (local.get $bytes)))))
  (call $resize_or_wait (local.get $bytes))`

/**
 * The maximum is part of the module, so the engine itself enforces it; Lua then raises "not enough
 * memory". A run's lower limit is enforced when the heap grows.
 *
 * Engines schedule garbage collection by the size of memories created, used or not: a third of the
 * size means a third of the collections. Most of the stock size is a C stack of 1 MiB, so that is
 * reduced.
 */
export const memory: Edit = {
  name: 'memory starts small and has a maximum',
  apply(module) {
    module.replace(
      '(memory $0 256 32768)',
      `(memory $0 ${MEMORY_INITIAL_PAGES} ${MEMORY_MAX_PAGES})`,
    )
    module.replace(
      '(global $global$0 (mut i32) (i32.const 1083712))',
      `(global $global$0 (mut i32) (i32.const ${HEAP_START}))`,
    )
    module.add('(global $below_host (export "below_host") (mut i32) (i32.const 1))')
    const stock = '(import "env" "emscripten_resize_heap" '
    const name = /\(func (\$\w+) /.exec(module.find(stock))?.[1]
    if (!name) throw new Error('the heap cannot grow')
    module.replace(stock, `${stock}(func $resize_now (param i32) (result i32)))`)
    module.add('(import "host" "resize" (func $resize_or_wait (param i32) (result i32)))')
    module.add(`(func ${name} ${RESIZE})`)
    const words = new Uint8Array(Uint32Array.from(BREAK_WORDS).buffer)
    module.replace(BREAK_SEGMENT, dataSegment(BREAK_ADDRESS, words))
  },
}

/** A call takes a few slots. Fits into 32 MiB including call frames. */
export const MAX_SLOTS = 340_000
const STOCK_SLOTS = 1_000_000
const SLOT_BYTES = 16
/** Extra slots while a stack overflow is being handled. */
const ERROR_SLOTS = 200

/**
 * Stock Lua's stack can grow to a million slots, which takes over 64 MiB with call frames and the
 * copy made while growing: scripts would get a misleading "not enough memory".
 */
export const stackLimit: Edit = {
  name: 'the stack is limited to what memory allows',
  apply(module) {
    const limit = (name: string, stock: number, by: number, count?: number) =>
      module.replaceIn(name, `(i32.const ${stock})`, `(i32.const ${by})`, count)

    limit('$luaD_growstack', STOCK_SLOTS * SLOT_BYTES + 1, MAX_SLOTS * SLOT_BYTES + 1)
    limit('$luaD_growstack', STOCK_SLOTS + ERROR_SLOTS, MAX_SLOTS + ERROR_SLOTS)
    for (const name of ['$luaD_growstack', '$luaD_shrinkstack']) {
      limit(name, STOCK_SLOTS - 1, MAX_SLOTS - 1)
      limit(name, STOCK_SLOTS, MAX_SLOTS, 3)
    }
  },
}

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
