/** Turns wasmoon's binary into ours, all but the snapshot: the list of edits, in order. */
import binaryen from 'binaryen'
import { cacheMisses } from './edits/cache-misses.ts'
import { clock } from './edits/clock.ts'
import { exceptions } from './edits/exceptions.ts'
import { fastFiles } from './edits/fast-files.ts'
import { fuel, fuelTank } from './edits/fuel.ts'
import { hostFunctions } from './edits/host-functions.ts'
import { jsonHelpers } from './edits/json-helpers.ts'
import { linuxErrors } from './edits/linux-errors.ts'
import { mainThread } from './edits/main-thread.ts'
import { memory } from './edits/memory.ts'
import { readBlocks } from './edits/read-blocks.ts'
import { run } from './edits/run.ts'
import { safeReading } from './edits/safe-reading.ts'
import { shortCopies } from './edits/short-copies.ts'
import { stackLimit } from './edits/stack-limit.ts'
import { switchDirection } from './edits/switch-direction.ts'
import { textChunks } from './edits/text-chunks.ts'
import { unusedImports } from './edits/unused-imports.ts'
import { wholeFiles } from './edits/whole-files.ts'
import { checkStockTable } from './function-table.ts'
import { LUA_FIXES } from './lua-fixes.ts'
import { nameFunctions } from './names.ts'
import { Statics } from './statics.ts'
import { TableSlots } from './table-slots.ts'
import { Wat, type Edit } from './wat.ts'

/** Every proposal the result relies on; all are standard in the engines we run on. */
const FEATURES =
  binaryen.Features.BulkMemory |
  binaryen.Features.BulkMemoryOpt |
  binaryen.Features.ExceptionHandling |
  binaryen.Features.MutableGlobals |
  binaryen.Features.NontrappingFPToInt |
  binaryen.Features.SignExt

export interface EditOptions {
  /** Without metering the result is what the overhead of metering is measured against. */
  readonly metered?: boolean
  /** Leaves out the fixes of these upstream commits, to show what they mend. */
  readonly withoutFixes?: readonly string[]
}

/** What is metered in the whole build: a change means the binary is not the one measured. */
const FUEL_COUNTS = { functions: 619, loops: 807, throws: 7, bulk: 16, imports: 15 }
const VISIT_COUNTS = { slots: 6, objects: 126, twins: 51 }

/** The edited module before its snapshot is taken, as optimised text with every export still there. */
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
  // For the set-up only, and before the optimiser decides that nobody calls them.
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

/** Every step from the stock module to ours, in order. */
export function edits(
  statics: Statics,
  slots: TableSlots,
  { metered = true, withoutFixes = [] }: EditOptions,
): Edit[] {
  return [
    ...LUA_FIXES.filter(({ commit }) => !withoutFixes.includes(commit)),
    memory,
    stackLimit,
    unusedImports,
    exceptions,
    textChunks(statics),
    linuxErrors(statics),
    switchDirection,
    mainThread(statics),
    hostFunctions(slots),
    run(statics, slots),
    shortCopies,
    safeReading,
    fastFiles,
    wholeFiles,
    readBlocks,
    fuelTank,
    clock,
    jsonHelpers,
    // Last, so that what the others added is metered too.
    ...(metered ? meters(statics, withoutFixes.length === 0) : []),
  ]
}

/** @param isWhole Whether nothing was left out, so that the counts are those of the build we ship. */
function meters(statics: Statics, isWhole: boolean): Edit[] {
  return [
    cacheMisses(statics, isWhole ? VISIT_COUNTS : undefined),
    fuel(isWhole ? FUEL_COUNTS : undefined),
  ]
}

/** Parses text into a checked module. */
export function parse(text: string): binaryen.Module {
  const module = binaryen.parseText(text)
  module.setFeatures(FEATURES)
  if (!module.validate()) throw new Error('the edited module is not valid')
  return module
}

/** Lends a module to `use` and frees it: binaryen's objects are not garbage collected. */
export function withBinaryen<T>(module: binaryen.Module, use: (module: binaryen.Module) => T): T {
  try {
    return use(module)
  } finally {
    module.dispose()
  }
}
