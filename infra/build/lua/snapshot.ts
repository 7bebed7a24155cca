/** Sets the VM up at build time and bakes its memory into the module. */
import { readFileSync } from 'node:fs'
import { HOST_FUNCTIONS } from '../../../src/vm/host-functions.ts'
import { TABLE_FUNCTIONS } from '../../../src/vm/lua-exports.ts'
import { STACK_END } from '../../../src/vm/limits/memory-size.ts'
import { parse, withBinaryen, editBinary, type EditOptions } from './edit-binary.ts'
import { symbolOf } from './edits/host-functions.ts'
import { unneededSlots } from './function-table.ts'
import { LuaSetup } from './lua-setup.ts'
import { preludePath, PRELUDES } from './preludes.ts'
import { dataSegment } from './statics.ts'
import { Wat } from './wat.ts'

/** The host's exports besides the table. Everything else is removed if unused. */
const EXPORTS =
  'run table memory malloc fuel bottom budget credit below_host stack_pointer thread random_state find_text count_lines'.split(
    ' ',
  )

/** All of `debug` that scripts have. */
const DEBUG_FUNCTIONS = ['getinfo', 'traceback'].map((name) => ({
  name: `debug.${name}`,
  symbol: `$db_${name}`,
}))

/** Zeros that start a new data segment; shorter runs cost less than a segment header. */
const MIN_GAP_BYTES = 64

/**
 * From the edited module's text to the final binary, whose instances have every library and global
 * without running any Lua.
 */
function bakeSnapshot(edited: string): Uint8Array {
  const module = new Wat(edited)
  const slots = slotsOf(module)
  const vm = new LuaSetup(
    withBinaryen(parse(edited), (built) => built.emitBinary()),
    (symbol) => slots.indexOf(symbol),
  )
  vm.open()
  const added = HOST_FUNCTIONS.filter(
    (host) => !('replaces' in host) && !host.name.startsWith('['),
  ).map(({ name }) => ({ name, symbol: symbolOf(name) }))
  vm.install([...added, ...DEBUG_FUNCTIONS])
  vm.makePackage()
  for (const { name, libraries, functions } of PRELUDES) {
    const source = readFileSync(preludePath(name), 'utf8')
    vm.prepare({ name, source, libraries, symbols: functions.map(symbolOf) })
  }
  const state = vm.finish()

  replaceData(module, state.memory.fill(0, STACK_END, state.stackPointer))
  setGlobal(module, '$global$0', state.stackPointer)
  setGlobal(module, '$main', state.main)
  setGlobal(module, '$thread', state.thread)
  module.add(`(global $random_state (export "random_state") i32 (i32.const ${state.randomState}))`)
  arrangeTable(module)
  keepExports(module)
  importMemory(module)

  return withBinaryen(parse(module.toString()), (final) => {
    final.runPasses(['remove-unused-module-elements'])
    return final.emitBinary()
  })
}

/** Function names by table index. */
function slotsOf(module: Wat): string[] {
  const slots: string[] = []
  for (const segment of module.all('(elem ')) {
    const [, first, names] = segment.match(/\(i32\.const (\d+)\) (.*)\)$/)!
    names!.split(' ').forEach((name, index) => (slots[Number(first) + index] = name))
  }
  return slots
}

/**
 * Unneeded slots stay null, so that calling them traps and their code is removed; functions for the
 * host come last.
 */
function arrangeTable(module: Wat): void {
  const unneeded = new Set(unneededSlots())
  const slots = [
    ...slotsOf(module),
    ...TABLE_FUNCTIONS.map((name) => exportedFunction(module, name)),
  ]
  module.remove('(elem ', module.all('(elem ').length)
  let run: string[] = []
  for (let slot = slots.length - 1; slot >= 0; slot--) {
    const isNull = slot === 0 || unneeded.has(slot)
    if (!isNull) run.unshift(slots[slot]!)
    else if (run.length > 0) {
      module.add(`(elem (i32.const ${slot + 1}) ${run.join(' ')})`)
      run = []
    }
  }
  module.replace(
    '(table $0 ',
    `(table $0 (export "table") ${slots.length} ${slots.length} funcref)`,
  )
}

function exportedFunction(module: Wat, name: string): string {
  return module.find(`(export "${name}" (func `).match(/\$[^)]+/)![0]
}

function keepExports(module: Wat): void {
  const found = new Set<string>()
  module.editAll((field) => {
    const [, name] = field.match(/^\(export "(\w+)"/) ?? []
    if (!name) return field
    found.add(name)
    return EXPORTS.includes(name) ? field : ''
  })
  const missing = EXPORTS.filter(
    (name) => !found.has(name) && !module.toString().includes(`(export "${name}")`),
  )
  if (missing.length > 0) throw new Error(`exports that are missing: ${missing.join(', ')}`)
}

/** The host may use one memory for several runs, one after the other. */
function importMemory(module: Wat): void {
  const [, size] = module.find('(memory $0 ').match(/(\d+ \d+)\)$/)!
  module.remove('(memory $0 ', 1)
  const [first] = module.all('(import ')
  // Imports come before everything else.
  const memory = `(import "host" "memory" (memory $0 ${size}))`
  module.replace(first!, `${memory}\n ${first}`)
}

function replaceData(module: Wat, memory: Uint8Array): void {
  // Those without an address are written by code.
  module.editAll((field) => (/^\(data (\$\S+ )?\(i32/.test(field) ? '' : field))
  let start = memory.findIndex((byte) => byte !== 0)
  while (start >= 0) {
    const end = gapAfter(memory, start)
    module.add(dataSegment(start, memory.subarray(start, end)))
    const next = memory.subarray(end).findIndex((byte) => byte !== 0)
    start = next < 0 ? -1 : end + next
  }
}

/** Start of the next long run of zeros. */
function gapAfter(memory: Uint8Array, start: number): number {
  let zeros = 0
  for (let at = start; at < memory.length; at++) {
    zeros = memory[at] === 0 ? zeros + 1 : 0
    if (zeros === MIN_GAP_BYTES) return at + 1 - zeros
  }
  return memory.length - zeros
}

function setGlobal(module: Wat, name: string, value: number): void {
  const start = `(global ${name} (mut i32)`
  module.replace(start, `${start} (i32.const ${value}))`)
}

/** Wasmoon's binary to ours: the edits, then the snapshot. Deterministic. */
export function makeLua(glue: Uint8Array, options?: EditOptions): Uint8Array {
  return bakeSnapshot(editBinary(glue, options))
}
