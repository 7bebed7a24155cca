/** Numbers of a JSON text: integers of 64 bits, or the nearest float. */
import { UNEXPECTED } from '../../../../../src/vm/json/json-codes'
import { fail } from '../failures'
import { setTop, top } from '../layout'
import { FLOAT, INTEGER, TAG, VALUE_BYTES } from '../offsets'
import { __floatscan, charge } from '../lua'
import { multiply, powerHigh, powerLow, productHigh, setPower, tenTo } from './powers'

/** Digits that 64 bits can always hold. */
const MAX_DIGITS: i32 = 19
const LAST_EXACT: u64 = 9007199254740992
const SIGN: u64 = 0x8000000000000000
const HIDDEN_BIT: u64 = 0x10000000000000
/** In fuel: of a float beyond the simple cases. */
const FLOAT_PRICE: i32 = 8
/** More than a text can have digits that make up for it. */
const MAX_EXPONENT: i32 = 100000000

function isDigit(byte: i32): bool {
  return ((byte - 0x30) as u32) < 10
}

function isE(byte: i32): bool {
  return (byte | 32) == 0x65
}

/** Pushes the number at `start`, whose first byte is given; returns where it ends. */
export function pushNumber(L: i32, start: i32, first: i32): i32 {
  let at = start
  let byte = first
  const isNegative = byte == 0x2d
  if (isNegative) byte = load<u8>(++at)
  let digits: u64 = 0
  let count = 0
  if (byte == 0x30) byte = load<u8>(++at)
  else if (isDigit(byte)) {
    const from = at
    do {
      digits = digits * 10 + ((byte - 0x30) as u64)
      byte = load<u8>(++at)
    } while (isDigit(byte))
    count = at - from
  } else return fail(UNEXPECTED, start)
  if (byte != 0x2e && !isE(byte)) {
    if (isDigit(byte) || byte == 0x2d || byte == 0x2b) return fail(UNEXPECTED, start)
    const limit = SIGN + (isNegative ? 1 : 0)
    if (count < MAX_DIGITS || (count == MAX_DIGITS && digits < limit)) {
      const value = top(L)
      store<i64>(value, isNegative ? -(digits as i64) : (digits as i64))
      store<u8>(value, INTEGER, TAG)
      setTop(L, value + VALUE_BYTES)
      return at
    }
    return pushFloat(L, start, at, digits, count, 0, 0)
  }
  let scale = 0
  if (byte == 0x2e) {
    byte = load<u8>(++at)
    if (!isDigit(byte)) return fail(UNEXPECTED, start)
    const from = at
    do {
      digits = digits * 10 + ((byte - 0x30) as u64)
      // The sum may overflow to zero.
      if (count != 0 || digits != 0) count++
      byte = load<u8>(++at)
    } while (isDigit(byte))
    scale = from - at
  }
  let exponent = 0
  if (isE(byte)) {
    byte = load<u8>(++at)
    const isSmall = byte == 0x2d
    if (isSmall || byte == 0x2b) byte = load<u8>(++at)
    if (!isDigit(byte)) return fail(UNEXPECTED, start)
    do {
      if (exponent < MAX_EXPONENT) exponent = exponent * 10 + byte - 0x30
      byte = load<u8>(++at)
    } while (isDigit(byte))
    if (isSmall) exponent = -exponent
  }
  if (byte == 0x2d || byte == 0x2b || byte == 0x2e || isE(byte)) return fail(UNEXPECTED, start)
  return pushFloat(L, start, at, digits, count, scale, exponent)
}

/** @param count Digits without leading zeros; beyond {@link MAX_DIGITS} the sum overflowed. */
function pushFloat(
  L: i32,
  start: i32,
  end: i32,
  digits: u64,
  count: i32,
  scale: i32,
  exponent: i32,
): i32 {
  let float =
    count > MAX_DIGITS ? fromMany(start, end, exponent) : toFloat(digits, scale + exponent)
  if (float != float) float = __floatscan(start, 0)
  else if (load<u8>(start) == 0x2d) float = -float
  const value = top(L)
  store<f64>(value, float)
  store<u8>(value, FLOAT, TAG)
  setTop(L, value + VALUE_BYTES)
  return end
}

/** Of more digits than fit, the first decide, unless the float is close to between two. */
function fromMany(start: i32, end: i32, exponent: i32): f64 {
  let digits: u64 = 0
  let count = 0
  let isFraction = false
  for (let at = start; at < end; at++) {
    const byte = load<u8>(at) as i32
    if (isE(byte)) break
    if (byte == 0x2e) isFraction = true
    if (!isDigit(byte)) continue
    const isTaken = count < MAX_DIGITS
    if (isTaken) {
      digits = digits * 10 + ((byte - 0x30) as u64)
      if (digits != 0) count++
    }
    if (isFraction && isTaken) exponent--
    else if (!isFraction && !isTaken) exponent++
  }
  const low = toFloat(digits, exponent)
  return low == toFloat(digits + 1, exponent) ? low : NaN
}

/** `digits` * 10^`exponent`, rounded to the nearest; NaN where this way cannot tell. */
function toFloat(digits: u64, exponent: i32): f64 {
  if (digits == 0) return 0
  if (digits <= LAST_EXACT && exponent >= -22 && exponent <= 22) {
    return exponent < 0 ? (digits as f64) / tenTo(-exponent) : (digits as f64) * tenTo(exponent)
  }
  charge(FLOAT_PRICE)
  return exponent < -342 || exponent > 308 ? NaN : eiselLemire(digits, exponent)
}

/** By Eisel and Lemire: a product of 128 bits almost always decides the rounding. */
function eiselLemire(digits: u64, exponent: i32): f64 {
  const zeros = clz(digits) as i32
  const shifted = digits << zeros
  setPower(exponent)
  let high = powerHigh
  let low = powerLow
  // Reciprocals of exact powers are rounded up: then ties are seen.
  if (exponent < 0 && exponent >= -27 && ++low == 0) high++
  let productLow = multiply(shifted, high)
  let product = productHigh
  if ((product & 0x1ff) == 0x1ff) {
    multiply(shifted, low)
    const more = productHigh
    productLow += more
    if (more > productLow) product++
    if (productLow == 0xffffffffffffffff && (exponent < -27 || exponent > 55)) return NaN
  }
  const upper = (product >> 63) as i32
  let mantissa = product >> (upper + 9)
  let binary = ((217706 * exponent) >> 16) + 63 + upper - zeros + 1023
  // Denormals are rounded elsewhere.
  if (binary <= 0) return NaN
  const isTie =
    productLow <= 1 &&
    exponent >= -4 &&
    exponent <= 23 &&
    (mantissa & 3) == 1 &&
    mantissa << (upper + 9) == product
  if (isTie) mantissa &= ~1
  mantissa = (mantissa + (mantissa & 1)) >> 1
  if (mantissa >= 2 * HIDDEN_BIT) {
    mantissa = HIDDEN_BIT
    binary++
  }
  if (binary >= 0x7ff) return Infinity
  return reinterpret<f64>((mantissa & ~HIDDEN_BIT) | ((binary as u64) << 52))
}
