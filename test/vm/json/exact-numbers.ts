/** Texts of numbers, and what is nearest to them by exact arithmetic: not by another parser. */

/** The same numbers each time. */
function makeRandom(): (below: number) => number {
  let state = 20_261_118
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Near ties, denormals and the largest float; short ones, and ones with many digits. */
export function randomNumbers(count: number): string[] {
  const random = makeRandom()
  const digits = (most: number) =>
    Array.from({ length: 1 + random(most) }, () => random(10)).join('')
  const whole = (most: number) => digits(most).replace(/^0+(?=\d)/, '')
  const exponents = [5, 30, 330]
  return Array.from({ length: count }, (_, i) => {
    const sign = random(2) ? '-' : ''
    const exponent = random(2 * exponents[i % 3]! + 1) - exponents[i % 3]!
    switch (random(5)) {
      case 0:
        return `${sign}${whole(17)}e${exponent}`
      case 1:
        return `${sign}${whole(9)}.${digits(6)}`
      case 2:
        return `${sign}${whole(20)}.${digits(40)}e${exponent}`
      case 3:
        return `${sign}${between(random)}.0`
      default:
        return `${sign}4.9406564584124654e-${300 + random(30)}`
    }
  })
}

/** An integer in the middle of two floats, or next to that. */
function between(random: (below: number) => number): bigint {
  const mantissa = 2n ** 52n + BigInt(random(2 ** 30)) * 4_194_301n
  const tie = (2n * mantissa + 1n) << BigInt(1 + random(9))
  return tie + BigInt(random(3) - 1)
}

/** Whether no float is nearer; in the middle of two, whether it is the even one. */
export function isNearest(text: string, value: number): boolean {
  const exact = fractionOf(text)
  if (!Number.isFinite(value)) {
    const limit = { over: 2n ** 1024n - 2n ** 970n, under: 1n }
    return !isLess(absolute(exact), limit)
  }
  const bits = bitsOf(Math.abs(value))
  const target = absolute(exact)
  const above = middle(bits, bits + 1n)
  const isEven = bits % 2n === 0n
  if (isLess(above, target) || (!isEven && isSame(above, target))) return false
  if (bits === 0n) return true
  const below = middle(bits - 1n, bits)
  return !(isLess(target, below) || (!isEven && isSame(below, target)))
}

interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

function fractionOf(text: string): Fraction {
  const [, whole, fraction = '', exponent = '0'] = /^(-?\d+)(?:\.(\d+))?(?:e(-?\d+))?$/.exec(text)!
  const digits = BigInt(whole! + fraction)
  const power = Number(exponent) - fraction.length
  const ten = 10n ** BigInt(Math.abs(power))
  return power < 0 ? { over: digits, under: ten } : { over: digits * ten, under: 1n }
}

const absolute = ({ over, under }: Fraction) => ({ over: over < 0n ? -over : over, under })
const isLess = (a: Fraction, b: Fraction) => a.over * b.under < b.over * a.under
const isSame = (a: Fraction, b: Fraction) => a.over * b.under === b.over * a.under

function bitsOf(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  return view.getBigUint64(0)
}

/** Of the floats with these bits, which may be one beyond the largest. */
function middle(a: bigint, b: bigint): Fraction {
  const [one, other] = [valueOf(a), valueOf(b)]
  return { over: one + other, under: 2n ** 1075n }
}

/** Times 2^1074. */
function valueOf(bits: bigint): bigint {
  const exponent = bits >> 52n
  const fraction = bits % 2n ** 52n
  return exponent === 0n ? fraction : (2n ** 52n + fraction) << (exponent - 1n)
}
