/**
 * Fuel: every loop turn, every call that can call further and every block of bytes moved costs.
 *
 * Nothing in Lua can catch the trap on an empty tank, nor run for ever between two charges: not
 * `pcall`, coroutines, finalizers or C functions. The interpreter's loop, the hottest of all, only
 * compares the count with zero, the end of a slice; there, and in the few C functions that can run for
 * longer than a slice, the host is asked. Asking everywhere made some scripts 1.4 times slower. Host
 * calls have a price of their own.
 */
import { expectCount, insertAtStart, nameOf, replaceExactly, type Edit, type Wat } from '../wat.ts'

// The new value is kept in a local: reading the global again, right after writing it, costs more than the rest.
const LEFT = '(local $fuel_left i64)'
const charge = (price: string) =>
  `(global.set $fuel (local.tee $fuel_left (i64.sub (global.get $fuel) ${price})))`
const TRAP_WHEN_EMPTY =
  '(if (i64.lt_s (local.get $fuel_left) (global.get $bottom)) (then (unreachable)))'
const ASK_AFTER_SLICE = '(if (i64.lt_s (local.get $fuel_left) (i64.const 0)) (then (call $refuel)))'

/** Never called below a frame of JavaScript, which could not be suspended. */
const ASKING = [
  'luaV_execute',
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
 * Pattern matching recurses wherever it takes long, so it asks at its entry only. A call there after
 * which the function continues would slow it down even if never taken: a helper asks, then restarts it.
 */
const ASK_BEFORE_MATCH = `(if (i64.lt_s (local.get $fuel_left) (i64.const 0))
  (then (return (call $match.refuelled (local.get $0) (local.get $1) (local.get $2)))))`
const MATCH_REFUELLED = `(func $match.refuelled (param $0 i32) (param $1 i32) (param $2 i32) (result i32)
  (call $refuel)
  (call $match (local.get $0) (local.get $1) (local.get $2)))`

const step = (asks: boolean) =>
  `${charge('(i64.const 1)')} ${asks ? ASK_AFTER_SLICE : TRAP_WHEN_EMPTY}`

/** How often each kind of charge is expected: a change means the binary is not the one measured. */
export interface FuelCounts {
  readonly functions: number
  readonly loops: number
  readonly throws: number
  readonly bulk: number
  readonly imports: number
}

/** The engine looks for who catches, frame by frame: half a microsecond. Yields are thrown as well. */
const THROW_PRICE = 150
const THROW = '(throw $lua_error)'
/** What each C call that is left by a throw adds: it is several frames of WebAssembly. */
const UNWOUND_CALL_PRICE = 30
const CAUGHT = '(catch $lua_error)'
/** Those of the thread, the lower half of the word at 96, beyond those there were. */
const UNWOUND_CALLS = `(i32.and
  (i32.sub (i32.load16_u offset=96 (local.get $L)) (local.get $calls)) (i32.const 0xff))`
/** A call of the host takes about two microseconds, whatever it does. */
const IMPORT_PRICE = 500
/** Called because fuel or memory is short: not the script's doing. */
const FREE_IMPORTS = ['refuel', 'resize', 'emscripten_resize_heap', 'abort']

/** The tank itself; everything that spends or shows fuel relies on it. */
export const fuelTank: Edit = {
  name: 'there is a tank of fuel',
  apply(module) {
    module.add('(global $fuel (export "fuel") (mut i64) (i64.const 0))')
    module.add('(global $bottom (export "bottom") (mut i64) (i64.const 0))')
  },
}

export const fuel = (expected?: FuelCounts): Edit => ({
  name: 'work costs fuel',
  apply(module) {
    let functions = 0
    let loops = 0
    let bulk = 0
    let throws = 0
    module.editAll((field) => {
      if (!field.startsWith('(func ') || field.startsWith(UNINTERRUPTED)) return field
      const [, isTwin, name] = nameOf(field).match(/^\$(visiting\.)?(.*)/)! as [
        string,
        string,
        string,
      ]
      const turn = step(ASKING.includes(name))
      const entry = name === 'match' ? `${charge('(i64.const 1)')} ${ASK_BEFORE_MATCH}` : turn
      let text = field.replace(/\(loop (\$\S+)(?: \(result \w+\))?/g, (loop, label: string) => {
        if (isShortStringHash(name, label)) return loop
        loops++
        return `${loop} ${turn}`
      })
      const isLeaf = !/\(call(?:_indirect)? (?!\$visit)/.test(field)
      // A twin that visits is called by the other, which has paid.
      const isFree = isLeaf || isTwin
      if (!isFree) functions++
      text = insertAtStart(text, `${LEFT} ${isFree ? '' : entry}`)
      text = text.replaceAll(THROW, () => {
        throws++
        return `${charge(`(i64.const ${THROW_PRICE})`)} ${TRAP_WHEN_EMPTY} ${THROW}`
      })
      return text.replace(/\(memory\.(copy|fill) /g, (_, operation: string) => {
        bulk++
        return `(call $metered_${operation} `
      })
    })
    module.editFunction('$luaD_rawrunprotected', (text) => {
      const units = `(i32.mul ${UNWOUND_CALLS} (i32.const ${UNWOUND_CALL_PRICE}))`
      const pay = `${charge(`(i64.extend_i32_u ${units})`)} ${TRAP_WHEN_EMPTY}`
      return replaceExactly(text, CAUGHT, 1, `(catch $lua_error ${pay})`)
    })
    module.add(MATCH_REFUELLED)
    for (const operation of ['copy', 'fill']) module.add(meteredBulk(operation))
    const imports = priceImports(module)
    if (!expected) return
    expectCount('metered functions', expected.functions, functions)
    expectCount('metered loops', expected.loops, loops)
    expectCount('metered throws', expected.throws, throws)
    expectCount('metered bulk operations', expected.bulk, bulk)
    expectCount('priced imports', expected.imports, imports)
  },
})

/**
 * Between the system call and the reset of the buffer that it wrote nothing may stop: what is flushed after a
 * kill would be written twice. It loops only over what a call left unwritten, and ours leave nothing.
 */
const UNINTERRUPTED = '(func $__stdio_write '

/** Hashing a short string takes at most 20 turns and is the hottest loop of all: it is part of a call. */
function isShortStringHash(name: string, label: string): boolean {
  return name === 'luaS_newlstr' && label === '$label'
}

/** Puts a function that pays in front of every import; answers how many there are. */
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

// An operation has a price besides its length: many small ones take longer than their bytes.
function meteredBulk(operation: string): string {
  const price =
    '(i64.extend_i32_u (i32.add (i32.const 4) (i32.shr_u (local.get $bytes) (i32.const 3))))'
  return `(func $metered_${operation} (param $to i32) (param $from i32) (param $bytes i32) ${LEFT}
   ${charge(price)}
   ${TRAP_WHEN_EMPTY}
   (memory.${operation} (local.get $to) (local.get $from) (local.get $bytes)))`
}
