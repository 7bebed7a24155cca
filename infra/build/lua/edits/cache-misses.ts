/** Charges fuel for cache misses. */
import type { Statics } from '../statics.ts'
import {
  callOf,
  expectCounts,
  insertAtStart,
  nameOf,
  replaceExactly,
  wrapExpressions,
  type Edit,
} from '../wat.ts'

const LINES = 256
/** Heaps up to this size never miss. */
const NEAR_PAGES = 48
/** One unit per megabyte of heap: the processor's larger caches hold less of a larger heap. */
const MEGABYTES = '(i32.div_u (memory.size) (i32.const 16))'
const PRICE = `(select ${MEGABYTES} (i32.const 32) (i32.lt_u ${MEGABYTES} (i32.const 32)))`
const grow = (setFar: string) => `(func $emscripten_resize_heap (param $bytes i32) (result i32)
  (local $answer i32)
  (local.set $answer (call $emscripten_resize_heap.stock (local.get $bytes)))
  (if (i32.gt_u (memory.size) (i32.const ${NEAR_PAGES})) (then ${setFar}))
  (local.get $answer))`

/** Tag bit of collectable values: the slot points to an object, which is about to be read. */
const IS_OBJECT = 64
/** A slot just found in a table's array part. */
const FOUND_SLOT = /\(local\.tee (\$\d+) \(block \$\w+ \(result i32\) \(if \(i64\.[lg]t_u /g
/** The value of an upvalue: of the running function, which is in a local. */
const FOUND_UPVALUE =
  /\(local\.tee (\$\d+) \(i32\.load offset=8 (?:\(local\.tee \$\d+ )?\(i32\.load offset=16 \(i32\.add \(local\.get \$17\) /g
/** An object whose mark the collector tests. Where it only sets a mark, it has visited before. */
const TESTED_OBJECT =
  /(?<=\(i32\.and (?:\(local\.tee \$\d+ )?\(i32\.load8_u offset=5 )\(local\.(?:get|tee) (\$\d+)(?!\)\) \(i32\.const (?:192|199|248)\))/g
/** A byte of a string, which may be long. */
const BYTE_ADDRESS = '(i32.add (local.get $3) (local.get $4))'
const BYTE = `(i64.load8_u ${BYTE_ADDRESS})`
/**
 * The next CallInfo in the linked list, towards the first or the last. They are scattered over the
 * heap.
 */
const PREVIOUS_CALL = /\(local\.tee (\$\d+) \(i32\.load offset=8 \(local\.get \1\)\)\)/g
const NEXT_CALL = '(i32.load offset=12 (i32.load offset=20 (local.get $0)))'
const FREED_CALL = '(i32.load offset=12 (local.get $3))'

/** In the table of short strings: the head of a list, and a string in it. Lists may be long. */
const STRING_LIST =
  '(local.tee $7 (i32.add (i32.load offset=24 (local.get $6)) (i32.shl (i32.and (i32.sub (local.tee $5 (i32.load offset=32 (local.get $6))) (i32.const 1)) (local.get $4)) (i32.const 2))))'
const LISTED_STRING = '(i32.load8_u offset=7 (local.get $3))'

/** Functions that return a slot anywhere in a table. */
const SEARCHES = ['$luaH_get', '$luaH_getint', '$luaH_getshortstr', '$luaH_getstr']
/** Further visits in these functions: of their arguments, or of memory found elsewhere. */
const OTHER_VISITS: Record<string, (text: string) => string> = {
  $str_byte: (text) => replaceExactly(text, BYTE, `(i64.load8_u (call $visit ${BYTE_ADDRESS}))`),
  $luaD_precall: (text) => {
    // Returning visits the same calls. It is paid for here, because the return path is too hot.
    const both = replaceExactly(text, NEXT_CALL, `(call $visit_both_ways ${NEXT_CALL})`)
    return insertAtStart(both, '(call $visit_slot (local.get $1))')
  },
  $precallC: (text) => visitOnce(text, NEXT_CALL),
  $luaD_reallocstack: visitCalls,
  $luaD_shrinkstack: (text) => visitOnce(visitCalls(text), FREED_CALL),
  $lua_getstack: visitCalls,
  $lua_sethook: visitCalls,
  $luaS_newlstr: (text) =>
    replaceExactly(
      visitOnce(text, STRING_LIST),
      LISTED_STRING,
      '(i32.load8_u offset=7 (call $visit (local.get $3)))',
    ),
  // Finds the node where the search for a key begins, and reads the key for that.
  $mainposition: (text) => {
    const found = visitOnce(text, '(local.get $scratch)')
    return insertAtStart(found, '(call $visit_slot (local.get $1))')
  },
}

function visitOnce(text: string, address: string): string {
  return replaceExactly(text, address, `(call $visit ${address})`)
}

function visitCalls(text: string): string {
  return text.replace(PREVIOUS_CALL, (call) => `(call $visit ${call})`)
}

/** What is visited in the full build: slots found, objects tested, functions that visit. */
const EXPECTED = { slots: 10, objects: 126, twins: 51 }

/**
 * A miss takes as long as about thirty interpreter instructions, and a script can make nearly every
 * load miss.
 *
 * Model: a direct-mapped 1 MiB cache with 4 KiB lines, each tagged with the megabyte of VM memory
 * it last held. Sequential access costs almost nothing, and small heaps pay nothing.
 *
 * Most heaps are small, so each function that visits memory gets a twin with the visits, which it
 * calls at its start if the heap is large: calls in the middle of a function slow it down even if
 * never taken. The interpreter loop, which a script may never leave, tests the heap size at each
 * visit.
 *
 * @param isWhole Whether no fix is left out, so that the counts must match.
 */
export const cacheMisses = (statics: Statics, isWhole: boolean): Edit => ({
  name: 'memory out of reach costs fuel',
  apply(module) {
    // Price of a miss, 0 in a small heap. Updated on growth, because it is read far more often; in
    // memory, because a global takes one load more.
    const price = statics.bytes([0, 0, 0, 0])
    const far = `(i32.load offset=${price} align=1 (i32.const 0))`
    const setFar = `(i32.store offset=${price} align=1 (i32.const 0) ${PRICE})`
    const lines = statics.bytes(Array.from({ length: LINES }, () => 0))
    const lineOf = (address: string) =>
      `(i32.and (i32.shr_u ${address} (i32.const 12)) (i32.const ${LINES - 1}))`
    const isMiss = (address: string) =>
      `(i32.ne (i32.load8_u offset=${lines} ${lineOf(address)}) (i32.shr_u ${address} (i32.const 20)))`
    const then = (condition: string, code: string) => `(if ${condition} (then ${code}))`

    // Inlined test: sequential access in a large heap must stay cheap.
    const visitIfNew = (slot: string) => {
      const isObject = `(i32.and (i32.load8_u offset=8 ${slot}) (i32.const ${IS_OBJECT}))`
      return then(`(i32.or ${isMiss(slot)} ${isObject})`, `(call $visit_slot ${slot})`)
    }

    let slots = 0
    let objects = 0
    const visitSlots = (text: string, visit: (slot: string) => string, start = FOUND_SLOT) =>
      wrapExpressions(text, start, (found, [, local]) => {
        slots++
        const slot = `(local.get ${local})`
        return `(block (result i32) (drop ${found}) ${visit(slot)} ${slot})`
      })
    const visitObjects = (text: string) =>
      wrapExpressions(text, TESTED_OBJECT, (tested, [, local]) => {
        objects++
        const object = `(local.get ${local})`
        const visit = then(isMiss(object), `(drop (call $visit ${object}))`)
        return `(block (result i32) (drop ${tested}) ${visit} ${object})`
      })

    const visitResult = (text: string) => {
      const body = text.replaceAll('(return ', '(br $end ')
      const start = '(local $found i32) (local.set $found (block $end (result i32)'
      const found = '(local.get $found)'
      return `${insertAtStart(body, start)}) ${visitIfNew(found)} ${found})`
    }

    const twins: string[] = []
    module.editAll((field) => {
      if (!field.startsWith('(func ')) return field
      const name = nameOf(field)
      if (name === '$luaV_execute') {
        const visit = (slot: string) => then(far, visitIfNew(slot))
        return visitSlots(visitSlots(field, visit), visit, FOUND_UPVALUE)
      }
      // Like the interpreter, entered before the heap grows, so a twin would not be chosen.
      if (name === '$lua_resume') {
        return field.replace(PREVIOUS_CALL, (call) => `(call $visit_if_far ${call})`)
      }
      const found = visitObjects(visitSlots(field, (slot) => `(call $visit_slot ${slot})`))
      const visiting = SEARCHES.includes(name)
        ? visitResult(found)
        : (OTHER_VISITS[name]?.(found) ?? found)
      if (visiting === field) return field
      const twin = `$visiting.${name.slice(1)}`
      twins.push(visiting.replace(name, twin))
      return insertAtStart(field, then(far, `(return ${callOf(field, twin)})`))
    })
    for (const twin of twins) module.add(twin)
    if (isWhole) expectCounts('visited', EXPECTED, { slots, objects, twins: twins.length })

    module.wrapFunction('$emscripten_resize_heap', grow(setFar))
    const address = '(local.get $address)'
    const visitor = (name: string, units: string) =>
      module.add(`(func ${name} (param $address i32) (result i32)
        (if ${isMiss(address)}
         (then
          (i32.store8 offset=${lines} ${lineOf(address)} (i32.shr_u ${address} (i32.const 20)))
          (global.set $fuel (i64.sub (global.get $fuel) (i64.extend_i32_u ${units})))))
        ${address})`)
    visitor('$visit', far)
    visitor('$visit_both_ways', `(i32.mul ${far} (i32.const 2))`)
    module.add(`(func $visit_if_far (param $address i32) (result i32)
      (if (result i32) ${far} (then (call $visit ${address})) (else ${address})))`)
    module.add(`(func $visit_slot (param $slot i32)
      (drop (call $visit (local.get $slot)))
      (if (i32.and (i32.load8_u offset=8 (local.get $slot)) (i32.const ${IS_OBJECT}))
       (then (drop (call $visit (i32.load (local.get $slot)))))))`)
  },
})
