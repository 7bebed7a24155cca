/** Applies all edits to wasmoon's binary, in order; the snapshot comes later. */
import binaryen from 'binaryen'
import { cacheMisses } from './edits/cache-misses.ts'
import { csvRows } from './edits/csv-rows.ts'
import { debugData } from './edits/debug.ts'
import { clock, linuxErrors, unusedImports } from './edits/system.ts'
import { exceptions, mainThread, run, textChunks } from './edits/run.ts'
import { fastFiles } from './edits/fast-files.ts'
import { fuel, fuelTank } from './edits/fuel.ts'
import { hostFunctions, integerHelpers } from './edits/host-functions.ts'
import { integers } from './edits/integers.ts'
import { jsonCodec } from './edits/json-codec.ts'
import { lazyTables } from './edits/lazy-tables.ts'
import { memory, shortCopies, stackLimit } from './edits/memory.ts'
import {
  largeFiles,
  readBlocks,
  safeReading,
  switchDirection,
  wholeFiles,
} from './edits/reading.ts'
import { sort } from './edits/sort.ts'
import { textScan } from './edits/text-scan.ts'
import { unwind } from './edits/unwind.ts'
import { checkStockTable, TableSlots } from './function-table.ts'
import { LUA_FIXES } from './lua-fixes.ts'
import { nameFunctions } from './names.ts'
import { Statics } from './statics.ts'
import { Wat, type Edit } from './wat.ts'

/** WebAssembly proposals the result uses; all supported engines have them. */
const FEATURES =
  binaryen.Features.BulkMemory |
  binaryen.Features.BulkMemoryOpt |
  binaryen.Features.ExceptionHandling |
  binaryen.Features.MutableGlobals |
  binaryen.Features.NontrappingFPToInt |
  binaryen.Features.SignExt |
  binaryen.Features.SIMD128

export interface EditOptions {
  /** `false` builds the baseline for measuring the cost of metering. */
  readonly metered?: boolean
  /** Upstream commits to leave out, to demonstrate the bugs they fix. */
  readonly withoutFixes?: readonly string[]
}

/** Returns optimised text without the snapshot; all exports are still present. */
export function editBinary(glue: Uint8Array, options: EditOptions = {}): string {
  const module = new Wat(withBinaryen(binaryen.readBinary(glue), (source) => source.emitText()))
  nameFunctions(module)
  checkStockTable(module)
  const statics = new Statics()
  const slots = new TableSlots()
  for (const edit of edits(statics, slots, options)) {
    try {
      edit.apply(module)
    } catch (cause) {
      throw new Error(`edit "${edit.name}": ${(cause as Error).message}`, { cause })
    }
  }
  // For the setup only. Exported before optimising, which would remove them as unused.
  module.add('(export "stack_pointer" (global $global$0))')
  module.add('(export "lua_gc" (func $lua_gc))')
  statics.addTo(module)
  slots.addTo(module)
  return withBinaryen(parse(module.toString()), (edited) => {
    binaryen.setOptimizeLevel(3)
    binaryen.setShrinkLevel(0)
    edited.optimize()
    return edited.emitText()
  })
}

export function edits(
  statics: Statics,
  slots: TableSlots,
  { metered = true, withoutFixes = [] }: EditOptions,
): Edit[] {
  const isWhole = withoutFixes.length === 0
  return [
    ...LUA_FIXES.filter(({ commit }) => !withoutFixes.includes(commit)),
    memory,
    stackLimit,
    unusedImports,
    exceptions,
    unwind,
    sort,
    textChunks(statics),
    linuxErrors(statics),
    lazyTables,
    switchDirection,
    mainThread(statics),
    hostFunctions(slots),
    debugData(statics),
    run(statics, slots),
    shortCopies,
    safeReading,
    integers,
    fastFiles,
    wholeFiles,
    readBlocks,
    largeFiles,
    fuelTank,
    clock,
    integerHelpers,
    csvRows,
    ...(metered ? [cacheMisses(statics, isWhole)] : []),
    jsonCodec(statics),
    // After all that scripts can reach, so that code added by other edits is metered too.
    ...(metered ? [fuel(isWhole)] : []),
    textScan,
  ]
}

/** Parses and validates. */
export function parse(text: string): binaryen.Module {
  const module = binaryen.parseText(text)
  module.setFeatures(FEATURES)
  if (!module.validate()) throw new Error('the edited module is not valid')
  return module
}

/** Disposes of the module afterwards: binaryen's objects are not garbage-collected. */
export function withBinaryen<T>(module: binaryen.Module, use: (module: binaryen.Module) => T): T {
  try {
    return use(module)
  } finally {
    module.dispose()
  }
}
