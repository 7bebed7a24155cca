/** Static data that few scripts need, written on first use. */
import { dataSegment, readSegment } from '../statics.ts'
import { expectCount, insertAtStart, nameOf, type Edit, type Wat } from '../wat.ts'

/** Four operating system pages: tables of the math functions, texts of errors, names of locales. */
const START = 12_288
const END = 28_672
export const LAZY_TABLES = { start: START, end: END } as const

/** Functions that read them, by stock number where they have no name. */
const READERS = {
  $358: 'math.atan',
  $362: 'exp',
  $367: 'log',
  $553: 'atan',
  $555: 'sin, cos and tan of large numbers',
  $587: 'log2',
  $pow: 'powers',
  $594: 'setlocale',
  $strerror: 'the text of an error',
}

/** Other functions with constants in the range, which are no addresses: sizes, exponents, text. */
const UNRELATED =
  '$345 $466 $os_tmpname $__fdopen $610 $__floatscan $639 $643 $644 $645 $647 $650'.split(' ')

/** Pointers to the decimal point and the standard streams, and how often they are read. */
const CONSTANT_WORDS = { 17_408: 5, 28_200: 5, 28_204: 3, 28_208: 2 }

const WRITE_ONCE = `(if (i32.eqz (global.get $has_tables))
  (then
   (memory.init $tables (i32.const ${START}) (i32.const 0) (i32.const ${END - START}))
   (global.set $has_tables (i32.const 1))))`

/**
 * Each page of memory that an instance starts with takes the operating system two microseconds: to
 * find one, to clear it and to map it. Most scripts need none of these four.
 */
export const lazyTables: Edit = {
  name: 'tables of math functions are written on first use',
  apply(module) {
    const tables = takeBytes(module)
    module.add('(global $has_tables (mut i32) (i32.const 0))')
    module.add(dataSegment('$tables', tables))
    inlineWords(module, tables)
    for (const reader of Object.keys(READERS)) {
      module.editFunction(reader, (text) => insertAtStart(text, WRITE_ONCE))
    }
    const known = [...Object.keys(READERS), ...UNRELATED]
    const unknown = module.all('(func ').filter(hasConstantInRange).map(nameOf)
    const others = unknown.filter((name) => !known.includes(name))
    if (others.length > 0) throw new Error(`reads tables, or not? ${others.join(', ')}`)
  },
}

/** Returns the range's bytes, and leaves in the segments only what is outside of it. */
function takeBytes(module: Wat): Uint8Array {
  const image = new Uint8Array(END)
  const overlapping = module
    .all('(data ')
    .map((field) => ({ field, ...readSegment(field) }))
    .filter(({ address, bytes }) => address < END && address + bytes.length > START)
  expectCount('segments with tables', 133, overlapping.length)
  for (const { field, address, bytes } of overlapping) {
    module.remove(field, 1)
    image.set(bytes.subarray(0, END - address), address)
    if (address < START) {
      module.add(dataSegment(address, bytes.subarray(0, START - address)))
    }
    if (address + bytes.length > END) {
      module.add(dataSegment(END, bytes.subarray(END - address)))
    }
  }
  return image.slice(START)
}

function inlineWords(module: Wat, tables: Uint8Array): void {
  const view = new DataView(tables.buffer)
  for (const [address, count] of Object.entries(CONSTANT_WORDS)) {
    const value = `(i32.const ${view.getUint32(Number(address) - START, true)})`
    let found = 0
    module.editAll((field) =>
      field.replaceAll(`(i32.load (i32.const ${address}))`, () => {
        found++
        return value
      }),
    )
    expectCount(`reads of the word at ${address}`, count, found)
  }
}

function hasConstantInRange(text: string): boolean {
  const constants = [...text.matchAll(/(?:i32\.const |offset=)(\d+)/g)]
  return constants.some(([, digits]) => Number(digits) >= START && Number(digits) < END)
}
