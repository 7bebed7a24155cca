/** Builds a module whose `os.difftime` traps, in place of unknown bugs that break the VM. */
import { readFileSync, writeFileSync } from 'node:fs'
import { stockSlot } from '../../infra/build/lua/function-table.ts'

const HEADER_BYTES = 8
const ELEMENT_SECTION = 9
/** One active segment: count, flags, `i32.const 1`, `end`. */
const SEGMENT_START = [1, 0, 0x41, 1, 0x0b]

/** Written next to this file: workerd loads modules only from files. */
export function buildDamagedLua(): void {
  const lua = readFileSync(new URL('../../src/vm/lua.wasm', import.meta.url))
  const slots = slotsIn(lua)
  const trap = slots[stockSlot('luaopen_debug')]!
  const slot = slots[stockSlot('os_difftime')]!
  if (slot.end - slot.start !== trap.end - trap.start) throw new Error('indices differ in length')
  lua.copy(lua, slot.start, trap.start, trap.end)
  writeFileSync(new URL('./damaged-lua.wasm', import.meta.url), lua)
}

/** Byte range of each slot's function index. */
function slotsIn(binary: Uint8Array) {
  let at = elementSection(binary)
  for (const byte of SEGMENT_START) {
    if (binary[at++] !== byte) throw new Error('the function table is filled in another way')
  }
  const count = readNumber(binary, at)
  at = count.end
  return Array.from({ length: count.value + 1 }, (_, slot) => {
    if (slot === 0) return { start: at, end: at }
    const start = at
    at = readNumber(binary, at).end
    return { start, end: at }
  })
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
