/** Builds a module whose `os.difftime` traps, in place of unknown bugs that break the VM. */
import { readFileSync, writeFileSync } from 'node:fs'
import { stockSlot } from '../../infra/build/lua/function-table.ts'

const HEADER_BYTES = 8
const ELEMENT_SECTION = 9
/** An active segment starts with flags and an expression for its first slot. */
const FLAGS = 0
const I32_CONST = 0x41
const END = 0x0b

/** Written next to this file: workerd loads modules only from files. */
export function buildDamagedLua(): void {
  const lua = readFileSync(new URL('../../src/vm/lua.wasm', import.meta.url))
  const slots = slotsIn(lua)
  // Called as a C function it traps: its signature is another.
  const other = slots[stockSlot('fmt_fp')]!
  const slot = slots[stockSlot('os_difftime')]!
  if (slot.end - slot.start !== other.end - other.start) throw new Error('indices differ in length')
  lua.copy(lua, slot.start, other.start, other.end)
  writeFileSync(new URL('./damaged-lua.wasm', import.meta.url), lua)
}

/** Byte range of each slot's function index. */
function slotsIn(binary: Uint8Array) {
  const slots: { start: number; end: number }[] = []
  const segments = readNumber(binary, elementSection(binary))
  let at = segments.end
  for (let segment = 0; segment < segments.value; segment++) {
    expectByte(binary, at, FLAGS)
    expectByte(binary, at + 1, I32_CONST)
    // Slots are small enough that their sign does not matter.
    const first = readNumber(binary, at + 2)
    expectByte(binary, first.end, END)
    const count = readNumber(binary, first.end + 1)
    at = count.end
    for (let slot = first.value; slot < first.value + count.value; slot++) {
      const { end } = readNumber(binary, at)
      slots[slot] = { start: at, end }
      at = end
    }
  }
  return slots
}

function expectByte(binary: Uint8Array, at: number, byte: number): void {
  if (binary[at] !== byte) throw new Error('the function table is filled in another way')
}

function elementSection(binary: Uint8Array): number {
  for (let at = HEADER_BYTES; at < binary.length;) {
    const id = binary[at]
    const { value: bytes, end } = readNumber(binary, at + 1)
    if (id === ELEMENT_SECTION) return end
    at = end + bytes
  }
  throw new Error('no element section')
}

/** Unsigned LEB128. */
function readNumber(binary: Uint8Array, start: number): { value: number; end: number } {
  let value = 0
  let at = start
  for (let shift = 0; ; shift += 7) {
    const byte = binary[at++]!
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return { value, end: at }
  }
}
