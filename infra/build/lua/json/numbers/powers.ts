/** Powers of ten as 128 bits, from a small table: see ../edits/json-codec.ts. */
import { POWERS } from '../lua'

/** Every 27th power, from 10^-351 on: 192 bits each, the highest word first. */
const STEP: i32 = 27
const FIRST: i32 = -351
const BASE_BYTES: i32 = 24
/** Then 5^0 to 5^26, shifted to the left; then 10^0 to 10^22 as floats. */
const FIVES: i32 = 624
const TENS: i32 = 840

export let powerHigh: u64 = 0
export let powerLow: u64 = 0
export let productHigh: u64 = 0

/** Up to 10^22, where it is exact. */
export function tenTo(exponent: i32): f64 {
  return load<f64>(POWERS + TENS + (exponent << 3))
}

/** The low half of a product; the high one is left in {@link productHigh}. */
export function multiply(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff
  const aHigh = a >> 32
  const bLow = b & 0xffffffff
  const bHigh = b >> 32
  const low = aLow * bLow
  const cross = aLow * bHigh
  const other = aHigh * bLow
  const middle = (low >> 32) + (cross & 0xffffffff) + (other & 0xffffffff)
  productHigh = aHigh * bHigh + (cross >> 32) + (other >> 32) + (middle >> 32)
  return a * b
}

/** Leaves the highest 128 bits of 10^exponent, truncated, in {@link powerHigh} and the other. */
export function setPower(exponent: i32): void {
  const place = (exponent - FIRST) / STEP
  const rest = exponent - FIRST - place * STEP
  const base = POWERS + place * BASE_BYTES
  const five = load<u64>(POWERS + FIVES + (rest << 3))
  multiply(load<u64>(base, 16), five)
  const lowest = productHigh
  let w1 = multiply(load<u64>(base, 8), five)
  let w2 = productHigh
  w1 += lowest
  if (w1 < lowest) w2++
  const third = multiply(load<u64>(base), five)
  let w3 = productHigh
  w2 += third
  if (w2 < third) w3++
  const shift = clz(w3)
  powerHigh = shift == 0 ? w3 : (w3 << 1) | (w2 >> 63)
  powerLow = shift == 0 ? w2 : (w2 << 1) | (w1 >> 63)
}
