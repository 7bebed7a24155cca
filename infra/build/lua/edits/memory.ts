/** Memory starts small and is capped. */
import {
  MEMORY_INITIAL_PAGES,
  MEMORY_MAX_PAGES,
  STACK_END,
} from '../../../../src/vm/limits/memory-size.ts'
import { dataSegment } from '../statics.ts'
import type { Edit } from '../wat.ts'

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
