/** Sorts fields by their keys; equal keys stay in the order they were found. */
import { FIELD_BYTES, FIELD_FLAGS, FIELD_LENGTH, textOf } from './fields'
import { compareTexts } from './text/utf8'

/** Up to this many are sorted by insertion. */
const FEW: i32 = 16

let area: i32 = 0
let isByBytes: bool = false

/** @param ofArea Where texts of numbers are. */
export function sortFields(first: i32, count: i32, ofArea: i32, isAllAscii: bool): void {
  area = ofArea
  isByBytes = isAllAscii
  if (count <= FEW) return insertEach(first, first + count * FIELD_BYTES)
  for (let i = count / 2 - 1; i >= 0; i--) siftDown(first, i, count)
  for (let last = count - 1; last > 0; last--) {
    swap(first, first + last * FIELD_BYTES)
    siftDown(first, 0, last)
  }
}

function insertEach(first: i32, end: i32): void {
  for (let next = first + FIELD_BYTES; next < end; next += FIELD_BYTES) {
    for (let at = next; at > first && isLess(at, at - FIELD_BYTES); at -= FIELD_BYTES) {
      swap(at, at - FIELD_BYTES)
    }
  }
}

/** Of a heap, whose largest field is first. */
function siftDown(first: i32, from: i32, count: i32): void {
  for (let i = from; ;) {
    let child = 2 * i + 1
    if (child >= count) return
    const left = first + child * FIELD_BYTES
    if (child + 1 < count && isLess(left, left + FIELD_BYTES)) child++
    if (!isLess(first + i * FIELD_BYTES, first + child * FIELD_BYTES)) return
    swap(first + i * FIELD_BYTES, first + child * FIELD_BYTES)
    i = child
  }
}

function swap(a: i32, b: i32): void {
  const start = v128.load(a)
  const rest = load<u64>(a, 16)
  v128.store(a, v128.load(b))
  store<u64>(a, load<u64>(b, 16), 16)
  v128.store(b, start)
  store<u64>(b, rest, 16)
}

function isLess(a: i32, b: i32): bool {
  const order = compareFields(a, b)
  return order < 0 || (order == 0 && load<u32>(a, FIELD_FLAGS) < load<u32>(b, FIELD_FLAGS))
}

/** Of two keys. */
export function compareFields(a: i32, b: i32): i32 {
  const aLength = load<i32>(a, FIELD_LENGTH)
  const bLength = load<i32>(b, FIELD_LENGTH)
  if (!isByBytes) {
    const aText = textOf(a, area)
    const bText = textOf(b, area)
    return compareTexts(aText, aText + aLength, bText, bText + bLength)
  }
  const aHead = load<u64>(a)
  const bHead = load<u64>(b)
  if (aHead != bHead) return aHead < bHead ? -1 : 1
  const shorter = min(aLength, bLength)
  if (shorter > 8) {
    const aText = textOf(a, area)
    const bText = textOf(b, area)
    for (let i = 8; i < shorter; i++) {
      const difference = (load<u8>(aText + i) as i32) - (load<u8>(bText + i) as i32)
      if (difference != 0) return difference
    }
  }
  return aLength - bLength
}
