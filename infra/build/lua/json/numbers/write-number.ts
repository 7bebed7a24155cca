/** Numbers as JSON: integers exactly, floats with the fewest digits that read back the same. */
import { INFINITE, NOT_A_NUMBER } from '../../../../../src/vm/json/json-codes'
import { charge } from '../lua'
import { multiply, powerHigh, powerLow, productHigh, setPower, tenTo } from './powers'
import { mayReplace } from '../replaced'

const LAST_EXACT: f64 = 9007199254740992
const HIDDEN_BIT: u64 = 0x10000000000000
/** In fuel, measured: of the shortest digits. */
const SHORTEST_PRICE: i32 = 12
/** JavaScript writes more digits before the point with an exponent. */
const MAX_WHOLE_DIGITS: i32 = 21
const NULL: u32 = 0x6c6c756e

function digitCount(value: u64): i32 {
  let count = 1
  if (value >= 10000000000) {
    count += 10
    value /= 10000000000
  }
  if (value >= 100000000) {
    count += 8
    value /= 100000000
  }
  if (value >= 10000) {
    count += 4
    value /= 10000
  }
  if (value >= 100) {
    count += 2
    value /= 100
  }
  return value >= 10 ? count + 1 : count
}

/** Writes the digits that end before `end`. */
function putDigits(end: i32, value: u64): void {
  while (value > 0xffffffff) {
    const rest = value / 100
    end -= 2
    putPair(end, (value - rest * 100) as u32)
    value = rest
  }
  let small = value as u32
  while (small >= 100) {
    const rest = small / 100
    end -= 2
    putPair(end, small - rest * 100)
    small = rest
  }
  if (small >= 10) putPair(end - 2, small)
  else store<u8>(end - 1, 0x30 + small)
}

function putPair(at: i32, value: u32): void {
  const tens = (value * 103) >> 10
  store<u16>(at, 0x3030 | tens | ((value - tens * 10) << 8))
}

export function putInteger(at: i32, value: i64): i32 {
  let digits = value as u64
  if (value < 0) {
    store<u8>(at++, 0x2d)
    digits = -value as u64
  }
  const end = at + digitCount(digits)
  putDigits(end, digits)
  return end
}

/** Returns where the text ends, or 0. */
export function putFloat(at: i32, value: f64): i32 {
  const size = abs(value)
  if (trunc(value) == value && size <= LAST_EXACT) return putInteger(at, value as i64)
  if (size < Infinity) {
    // Without an exponent it would read back as an integer, and not as the nearest one.
    return putDecimal(at, value, trunc(value) == value ? 0 : MAX_WHOLE_DIGITS)
  }
  if (!mayReplace(size == size ? INFINITE : NOT_A_NUMBER)) return 0
  store<u32>(at, NULL)
  return at + 4
}

/** A key, as JavaScript writes a number: it is no integer that 64 bits can hold. */
export function putFloatKey(at: i32, value: f64): i32 {
  if (abs(value) < Infinity) return putDecimal(at, value, MAX_WHOLE_DIGITS)
  if (value < 0) store<u8>(at++, 0x2d)
  store<u64>(at, 0x7974696e69666e49)
  return at + 8
}

let exponent: i32 = 0

/** @param maxWhole With more digits before the point, an exponent follows. */
function putDecimal(at: i32, value: f64, maxWhole: i32): i32 {
  if (value < 0) store<u8>(at++, 0x2d)
  const digits = digitsOf(abs(value))
  const count = digitCount(digits)
  // The value is 0.digits * 10^point.
  const point = count + exponent
  if (point <= -6 || point > maxWhole) return putExponential(at, digits, count, point - 1)
  if (point <= 0) {
    store<u16>(at, 0x2e30)
    at += 2
    for (let zeros = point; zeros < 0; zeros++) store<u8>(at++, 0x30)
    putDigits(at + count, digits)
    return at + count
  }
  if (point >= count) {
    putDigits(at + count, digits)
    for (let i = count; i < point; i++) store<u8>(at + i, 0x30)
    return at + point
  }
  putDigits(at + count + 1, digits)
  for (let i = 0; i < point; i++) store<u8>(at + i, load<u8>(at + i + 1))
  store<u8>(at + point, 0x2e)
  return at + count + 1
}

function putExponential(at: i32, digits: u64, count: i32, power: i32): i32 {
  putDigits(at + count + 1, digits)
  store<u8>(at, load<u8>(at + 1))
  store<u8>(at, 0x2e, 1)
  at += count == 1 ? 1 : count + 1
  store<u16>(at, power < 0 ? 0x2d65 : 0x2b65)
  return putInteger(at + 2, abs(power))
}

/** The shortest digits of a positive number; leaves their exponent. */
function digitsOf(value: f64): u64 {
  // Most numbers have a few decimals. The division is exact to the last bit, and with so few digits
  // no others give the same.
  if (value < 1e9 && value >= 1e-3) {
    for (let decimals = 1; decimals <= 5; decimals++) {
      const ten = tenTo(decimals)
      const whole = nearest(value * ten)
      if (whole / ten == value) {
        exponent = -decimals
        return whole as u64
      }
    }
  }
  charge(SHORTEST_PRICE)
  let digits = schubfach(value)
  while (digits % 10 == 0) {
    digits /= 10
    exponent++
  }
  return digits
}

function roundToOdd(high: u64, low: u64, factor: u64): u64 {
  multiply(low, factor)
  const carried = productHigh
  let rest = multiply(high, factor)
  let product = productHigh
  rest += carried
  if (rest < carried) product++
  return product | (rest > 1 ? 1 : 0)
}

/** By Giulietti: of the decimals that round to the number, the closest of the shortest. */
function schubfach(value: f64): u64 {
  const bits = reinterpret<u64>(value)
  const fraction = bits & (HIDDEN_BIT - 1)
  const biased = (bits >> 52) as i32
  const mantissa = biased == 0 ? fraction : fraction | HIDDEN_BIT
  const binary = biased == 0 ? -1074 : biased - 1075
  const odd = (mantissa & 1) as u64
  const isCloser = fraction == 0 && biased > 1
  const middle = mantissa << 2
  const decimal = (binary * 1262611 - (isCloser ? 524031 : 0)) >> 22
  const shift = (binary + ((-decimal * 1741647) >> 19) + 1) as u64
  setPower(-decimal)
  let high = powerHigh
  let low = powerLow
  // Rounded up, unless it is exact.
  if ((-decimal < 0 || -decimal > 55) && ++low == 0) high++
  const below = roundToOdd(high, low, (middle - 2 + (isCloser ? 1 : 0)) << shift) + odd
  const scaled = roundToOdd(high, low, middle << shift)
  const above = roundToOdd(high, low, (middle + 2) << shift) - odd
  const digits = scaled >> 2
  if (digits >= 10) {
    const fewer = digits / 10
    const isIn = below <= 40 * fewer
    const isNextIn = 40 * fewer + 40 <= above
    if (isIn != isNextIn) {
      exponent = decimal + 1
      return fewer + (isNextIn ? 1 : 0)
    }
  }
  exponent = decimal
  const isIn = below <= 4 * digits
  const isNextIn = 4 * digits + 4 <= above
  if (isIn != isNextIn) return digits + (isNextIn ? 1 : 0)
  const half = 4 * digits + 2
  return digits + (scaled > half || (scaled == half && (digits & 1) != 0) ? 1 : 0)
}
