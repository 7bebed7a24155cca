/** The table that the codec for JSON computes powers of ten from: see json/powers.ts. */

const WORD = 2n ** 64n
/** Every 27th power, as the largest multiple of five that 64 bits hold is 5^27. */
const STEP = 27
const FIRST = -351
const LAST = 324
const BASE_BITS = 192
const POWER_BITS = 128
const LAST_EXACT_TEN = 22

/** Powers that a float's text can need. */
const USED = { first: -342, last: 324 }

/** The highest bits of 10^exponent, truncated. */
function highestBits(exponent: number, bits: number): bigint {
  const ten = 10n ** BigInt(Math.abs(exponent))
  const value = exponent >= 0 ? ten << BigInt(bits) : (1n << BigInt(bits + 2 * bitsOf(ten))) / ten
  return value >> BigInt(bitsOf(value) - bits)
}

function bitsOf(value: bigint): number {
  return value.toString(2).length
}

/** Shifted to the left, to 64 bits. */
function five(exponent: number): bigint {
  const value = 5n ** BigInt(exponent)
  return value << BigInt(64 - bitsOf(value))
}

/** @throws if one of the powers would not be exact. */
export function powersOfTen(): Uint8Array {
  const words: bigint[] = []
  for (let exponent = FIRST; exponent <= LAST; exponent += STEP) {
    const bits = highestBits(exponent, BASE_BITS)
    words.push(bits >> 128n, (bits >> 64n) % WORD, bits % WORD)
  }
  for (let exponent = 0; exponent < STEP; exponent++) words.push(five(exponent))
  for (let exponent = USED.first; exponent <= USED.last; exponent++) checkPower(exponent)
  const tens = Float64Array.from({ length: LAST_EXACT_TEN + 1 }, (_, exponent) => 10 ** exponent)
  return new Uint8Array([
    ...new Uint8Array(BigUint64Array.from(words).buffer),
    ...new Uint8Array(tens.buffer),
  ])
}

/** A truncated base times a power of five could be one too small in its last bit. */
function checkPower(exponent: number): void {
  const rest = (exponent - FIRST) % STEP
  const product = highestBits(exponent - rest, BASE_BITS) * five(rest)
  if (product >> BigInt(bitsOf(product) - POWER_BITS) !== highestBits(exponent, POWER_BITS)) {
    throw new Error(`10^${exponent} is not exact`)
  }
}
