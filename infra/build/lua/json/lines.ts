/** Commas, colons, brackets, and lines of indented JSON. */
import { limit, makeRoom } from './output'

const SPACES: i32 = 2
/** Bytes that any scalar but a string takes at most, and any bracket. */
export const SCALAR_BYTES: i32 = 32

let isIndented: bool = false

export function openLines(indents: bool): void {
  isIndented = indents
}

export function putColon(at: i32): i32 {
  store<u8>(at++, 0x3a)
  if (isIndented) store<u8>(at++, 0x20)
  return at
}

export function startItem(at: i32, isFirst: bool, level: i32): i32 {
  if (!isFirst) store<u8>(at++, 0x2c)
  return isIndented ? startLine(at, level) : at
}

function startLine(at: i32, level: i32): i32 {
  const blanks = SPACES * level
  if (at + blanks > limit) {
    at = makeRoom(at, blanks)
    if (!at) return 0
  }
  store<u8>(at++, 10)
  for (let i = 0; i < blanks; i++) store<u8>(at++, 0x20)
  return at
}

export function endTable(at: i32, bracket: u8, level: i32): i32 {
  if (at + SCALAR_BYTES > limit) {
    at = makeRoom(at, SCALAR_BYTES)
    if (!at) return 0
  }
  if (isIndented) {
    at = startLine(at, level)
    if (!at) return 0
  }
  store<u8>(at, bracket)
  return at + 1
}
