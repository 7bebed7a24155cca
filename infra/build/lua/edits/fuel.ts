/** Fuel: loop iterations, calls of non-leaf functions and bulk memory operations are charged. */
import {
  expectCounts,
  insertAtStart,
  nameOf,
  wrapExpressions,
  type Edit,
  type Wat,
} from '../wat.ts'

// In a local: reading the global right after writing it costs more than everything else here.
const LEFT = '(local $fuel_left i64)'
const charge = (price: string) =>
  `(global.set $fuel (local.tee $fuel_left (i64.sub (global.get $fuel) ${price})))`
const TRAP_WHEN_EMPTY =
  '(if (i64.lt_s (local.get $fuel_left) (global.get $bottom)) (then (unreachable)))'
const ASK_AFTER_SLICE = '(if (i64.lt_s (local.get $fuel_left) (i64.const 0)) (then (call $refuel)))'

const INTERPRETER = 'luaV_execute'
// The interpreter keeps the count in its local, and the global is right whenever others may read it.
const SAVE = '(global.set $fuel (local.get $fuel_left))'
const LOAD = '(local.set $fuel_left (global.get $fuel))'
const INTERPRETER_STEP = `(local.set $fuel_left (i64.sub (local.get $fuel_left) (i64.const 1)))
  (if (i64.lt_s (local.get $fuel_left) (i64.const 0)) (then ${SAVE} (call $refuel) ${LOAD}))`

/** Never called below a JavaScript frame, which could not be suspended; like the interpreter. */
const ASKING = [
  'str_find_aux',
  'gmatch_aux',
  'str_gsub',
  'str_rep',
  'tconcat',
  'tinsert',
  'tremove',
  'tmove',
  'auxsort',
]

/**
 * Long pattern matches recurse, so it is enough to ask on entry. A call in the middle would slow
 * the function down even if never taken, so a helper asks and then restarts the match.
 */
const ASK_BEFORE_MATCH = `(if (i64.lt_s (local.get $fuel_left) (i64.const 0))
  (then (return (call $match.refuelled (local.get $0) (local.get $1) (local.get $2)))))`
const MATCH_REFUELLED = `(func $match.refuelled (param $0 i32) (param $1 i32) (param $2 i32) (result i32)
  (call $refuel)
  (call $match (local.get $0) (local.get $1) (local.get $2)))`

const step = (asks: boolean) =>
  `${charge('(i64.const 1)')} ${asks ? ASK_AFTER_SLICE : TRAP_WHEN_EMPTY}`

/** What is charged in the full build. A mismatch means the binary is not the one measured. */
const EXPECTED = { functions: 687, loops: 869, saves: 206, throws: 9, bulk: 16, imports: 15 }

/** The engine searches for the handler frame by frame: half a microsecond. */
const THROW_PRICE = 150
const THROW = '(throw $lua_error)'
/** Added per C call that a throw unwinds: each is several WebAssembly frames. */
const UNWOUND_CALL_PRICE = 30
const CAUGHT = '(catch $lua_error)'
/** C calls of the thread, the low half of nCcalls at 96, minus those before the protected call. */
const UNWOUND_CALLS = `(i32.and
  (i32.sub (i32.load16_u offset=96 (local.get $L)) (local.get $calls)) (i32.const 0xff))`
/** Called by a single instruction of the interpreter, and slow where its result is tiny. */
const POW_PRICE = 6
/** Any host call takes about two microseconds. */
const IMPORT_PRICE = 500
/** Called because fuel or memory is short, not by the script. */
const FREE_IMPORTS = ['refuel', 'resize', 'emscripten_resize_heap', 'abort']

/** Used by everything that spends or reads fuel. */
export const fuelTank: Edit = {
  name: 'there is a tank of fuel',
  apply(module) {
    module.add('(global $fuel (export "fuel") (mut i64) (i64.const 0))')
    module.add('(global $bottom (export "bottom") (mut i64) (i64.const 0))')
  },
}

/**
 * Lua cannot catch the trap on an empty tank, nor run unbounded between two charges: not with
 * `pcall`, coroutines, finalizers or C functions. The interpreter loop, the hottest one, only
 * compares the count with zero, the end of a slice; there, and in the few C functions that can
 * outlast a slice, the host is asked to refuel. Asking everywhere made some scripts 1.4 times
 * slower. Host calls have their own price.
 *
 * @param isWhole Whether no fix is left out, so that the counts must match.
 */
export const fuel = (isWhole: boolean): Edit => ({
  name: 'work costs fuel',
  apply(module) {
    const resultOf = resultTypes(module)
    const counts = { functions: 0, loops: 0, saves: 0, throws: 0, bulk: 0, imports: 0 }
    module.editAll((field) => {
      if (!field.startsWith('(func ') || field.startsWith(UNINTERRUPTED)) return field
      const [, isTwin, name] = nameOf(field).match(/^\$(visiting\.)?(.*)/)! as [
        string,
        string,
        string,
      ]
      const isInterpreter = name === INTERPRETER
      const turn = isInterpreter ? INTERPRETER_STEP : step(ASKING.includes(name))
      const entry = isInterpreter
        ? `${LOAD} ${turn}`
        : name === 'match'
          ? `${charge('(i64.const 1)')} ${ASK_BEFORE_MATCH}`
          : turn
      let text = field
      if (isInterpreter) text = saveAroundCalls(text, resultOf, () => counts.saves++)
      text = text.replace(/\(loop (\$\S+)(?: \(result \w+\))?/g, (loop, label: string) => {
        if (isShortStringHash(name, label)) return loop
        counts.loops++
        return `${loop} ${turn}`
      })
      const isLeaf = !/\(call(?:_indirect)? (?!\$visit)/.test(field)
      // A visiting twin is called by the other one, which has paid.
      const isFree = isLeaf || isTwin
      if (!isFree) counts.functions++
      text = insertAtStart(text, `${LEFT} ${isFree ? '' : entry}`)
      if (name === 'pow') text = insertAtStart(text, charge(`(i64.const ${POW_PRICE})`))
      text = text.replaceAll(THROW, () => {
        counts.throws++
        return `${charge(`(i64.const ${THROW_PRICE})`)} ${TRAP_WHEN_EMPTY} ${THROW}`
      })
      return text.replace(/\(memory\.(copy|fill) /g, (_, operation: string) => {
        counts.bulk++
        return `(call $metered_${operation} `
      })
    })
    const units = `(i32.mul ${UNWOUND_CALLS} (i32.const ${UNWOUND_CALL_PRICE}))`
    const pay = `${charge(`(i64.extend_i32_u ${units})`)} ${TRAP_WHEN_EMPTY}`
    module.replaceIn('$luaD_rawrunprotected', CAUGHT, `(catch $lua_error ${pay})`)
    module.add(MATCH_REFUELLED)
    for (const operation of ['copy', 'fill']) module.add(meteredBulk(operation))
    counts.imports = priceImports(module)
    if (isWhole) expectCounts('metered', EXPECTED, counts)
  },
})

/**
 * Must not trap between the system call and resetting the buffer: a flush after a kill would write
 * the data twice. It loops only over data a call left unwritten, and our calls write everything.
 */
const UNINTERRUPTED = '(func $__stdio_write '

/** Lets calls, and the caller in the end, see and change the count that the function has in its local. */
function saveAroundCalls(text: string, resultOf: Map<string, string>, count: () => void): string {
  const calls = /\(call(?:_indirect)? (?:\(type )?(\$[^\s()]+)/g
  const saved = wrapExpressions(text, calls, (call, [, callee]) => {
    const result = resultOf.get(callee!)
    if (result === undefined) throw new Error(`nothing is known of ${callee}`)
    count()
    return `(block ${result} ${SAVE} ${call} ${LOAD})`
  })
  const returning = saved.replaceAll('(return)', () => {
    count()
    return `${SAVE} (return)`
  })
  return `${returning.slice(0, -1)} ${SAVE})`
}

/** What functions and types of functions return: `(result i32)`, or nothing. */
function resultTypes(module: Wat): Map<string, string> {
  const signature =
    /\((?:func|type) (\$[^\s()]+)(?: \(func)?(?: \((?:type|export|param) [^()]*\))*(?: (\(result \w+\)))?/
  const fields = ['(func ', '(import ', '(type '].flatMap((start) => module.all(start))
  return new Map(
    fields.flatMap((field) => {
      const [, name, result = ''] = signature.exec(field) ?? []
      return name === undefined ? [] : [[name, result] as const]
    }),
  )
}

/** At most 20 iterations, and the hottest loop of all: covered by the price of the call. */
function isShortStringHash(name: string, label: string): boolean {
  return name === 'luaS_newlstr' && label === '$label'
}

/** Wraps every import in a function that pays; returns how many there are. */
function priceImports(module: Wat): number {
  const imports = module
    .all('(import ')
    .map((field) => field.match(/^(\(import "\w+" "(\w+)" \(func )\$(\w+) ?(.*)\)\)$/)!)
    .filter(([, , name]) => !FREE_IMPORTS.includes(name!))
  for (const [field, head, , symbol, signature] of imports) {
    module.replace(field, `${head}$import.${symbol} ${signature}))`)
    const parameters = signature!.match(/\(param ([^)]*)\)/)?.[1]!.split(' ') ?? []
    const values = parameters.map((_, index) => `(local.get ${index})`)
    module.add(`(func $${symbol} ${signature} ${LEFT}
      ${charge(`(i64.const ${IMPORT_PRICE})`)}
      ${TRAP_WHEN_EMPTY}
      (call $import.${symbol} ${values.join(' ')}))`)
  }
  return imports.length
}

// Has a base price: many small operations cost more than their bytes.
function meteredBulk(operation: string): string {
  const price =
    '(i64.extend_i32_u (i32.add (i32.const 4) (i32.shr_u (local.get $bytes) (i32.const 3))))'
  return `(func $metered_${operation} (param $to i32) (param $from i32) (param $bytes i32) ${LEFT}
   ${charge(price)}
   ${TRAP_WHEN_EMPTY}
   (memory.${operation} (local.get $to) (local.get $from) (local.get $bytes)))`
}
