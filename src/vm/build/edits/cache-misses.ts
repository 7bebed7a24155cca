/**
 * Memory that is far away costs fuel: a load that misses the processor's caches takes as long as some thirty
 * instructions of the interpreter, and a script can make nearly every one of its loads miss.
 *
 * The model is a direct-mapped cache of one megabyte in lines of 4 KiB, which remembers for each line what
 * megabyte of the VM's memory it was last used for. Small heaps and walks in order pay next to nothing.
 */
import type { Statics } from '../statics.ts'
import { expectCount, insertAtStart, replaceExactly, wrapExpressions, type Edit } from '../wat.ts'

const LINES = 256
/** Nothing is out of reach in fewer pages. Asked first, because most scripts stay below. */
const IS_LARGE = '(i32.gt_u (memory.size) (i32.const 32))'
/** A unit per megabyte of heap: the processor's own, larger caches hold less of a larger heap. */
const MEGABYTES = '(i32.div_u (memory.size) (i32.const 16))'
const PRICE = `(select ${MEGABYTES} (i32.const 32) (i32.lt_u ${MEGABYTES} (i32.const 32)))`

/** A bit in the tag of a value: it is a pointer to an object, which whoever fetched it will look at. */
const IS_OBJECT = 64
/** A slot that was just found in a table, by one of its functions or in the array part. */
const FOUND_SLOT =
  /\(local\.tee (\$\d+) \((?:call \$luaH_get\w* |block \$\w+ \(result i32\) \(if \(i64\.[lg]t_u )/g
/** An object whose mark the collector tests; where it only changes a mark it has been there before. */
const TESTED_OBJECT =
  /(?<=\(i32\.and (?:\(local\.tee \$\d+ )?\(i32\.load8_u offset=5 )\(local\.(?:get|tee) (\$\d+)(?!\)\) \(i32\.const (?:192|199|248)\))/g
/** Finds the node where the search for a key begins; for that it looks into the key. */
const MAIN_POSITION = `(func $mainposition (param $table i32) (param $key i32) (result i32)
  (call $visit_slot (local.get $key))
  (call $visit (call $mainposition.stock (local.get $table) (local.get $key))))`
/** A byte of a string, which may be a long one. */
const BYTE_ADDRESS = '(i32.add (local.get $3) (local.get $4))'
const BYTE = `(i64.load8_u ${BYTE_ADDRESS})`

export interface VisitCounts {
  readonly slots: number
  readonly objects: number
}

export const cacheMisses = (statics: Statics, expected?: VisitCounts): Edit => ({
  name: 'memory out of reach costs fuel',
  apply(module) {
    const lines = statics.bytes(Array.from({ length: LINES }, () => 0))
    const lineOf = (address: string) =>
      `(i32.and (i32.shr_u ${address} (i32.const 12)) (i32.const ${LINES - 1}))`
    const isMiss = (address: string) =>
      `(i32.ne (i32.load8_u offset=${lines} ${lineOf(address)}) (i32.shr_u ${address} (i32.const 20)))`
    const then = (condition: string, call: string) => `(if ${condition} (then ${call}))`

    let slots = 0
    let objects = 0
    module.editAll((field) => {
      if (!field.startsWith('(func ')) return field
      const text = wrapExpressions(field, FOUND_SLOT, (found, [, local]) => {
        slots++
        const slot = `(local.get ${local})`
        const isObject = `(i32.and (i32.load8_u offset=8 ${slot}) (i32.const ${IS_OBJECT}))`
        const visit = then(`(i32.or ${isMiss(slot)} ${isObject})`, `(call $visit_slot ${slot})`)
        return `(block (result i32) (drop ${found}) ${then(IS_LARGE, visit)} ${slot})`
      })
      if (field.startsWith('(func $luaV_execute ')) return text
      return wrapExpressions(text, TESTED_OBJECT, (tested, [, local]) => {
        objects++
        const object = `(local.get ${local})`
        const visit = then(isMiss(object), `(drop (call $visit ${object}))`)
        return `(block (result i32) (drop ${tested}) ${visit} ${object})`
      })
    })
    if (expected) {
      expectCount('slots found', expected.slots, slots)
      expectCount('objects tested', expected.objects, objects)
    }

    module.wrapFunction('$mainposition', MAIN_POSITION)
    module.editFunction('$str_byte', (text) =>
      replaceExactly(text, BYTE, 1, `(i64.load8_u (call $visit ${BYTE_ADDRESS}))`),
    )
    for (const name of ['$lua_rawget', '$lua_rawgeti']) {
      module.editFunction(name, (text) =>
        wrapExpressions(text, /\(call \$luaH_get\w* /g, (found) => `(call $visit ${found})`),
      )
    }
    module.editFunction('$luaD_precall', (text) =>
      insertAtStart(text, then(IS_LARGE, '(call $visit_slot (local.get $1))')),
    )

    const address = '(local.get $address)'
    module.add(`(func $visit (param $address i32) (result i32)
      (if ${isMiss(address)}
       (then
        (i32.store8 offset=${lines} ${lineOf(address)} (i32.shr_u ${address} (i32.const 20)))
        (global.set $fuel (i64.sub (global.get $fuel) (i64.extend_i32_u ${PRICE})))))
      ${address})`)
    module.add(`(func $visit_slot (param $slot i32)
      (drop (call $visit (local.get $slot)))
      (if (i32.and (i32.load8_u offset=8 (local.get $slot)) (i32.const ${IS_OBJECT}))
       (then (drop (call $visit (i32.load (local.get $slot)))))))`)
  },
})
