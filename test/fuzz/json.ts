/** JSON in Lua against JSON in JavaScript: the same values, the same texts taken and refused. */
import fc from 'fast-check'
import { parseJson } from '../../src/lib/json/parse-json.ts'
import { runLua } from '../support/run-lua.ts'
import { promiseSame, propertyTarget } from './target.ts'

/** Takes texts as they are: `args` itself would be decoded before. */
const SCRIPT = `
  local answers = {}
  for i, text in ipairs(args) do
    local ok, value = pcall(json.decode, text)
    answers[i] = ok and json.encode(value) or "refused"
  end
  return json.array(answers)
`
const LEVELS = 200
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '\0', '\n', '\x7f', 'é', '😀', '\u2028', '/', 'u'),
  }),
)
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.constantFrom(0, 0.1, 1e-7, 5e-324, 123456.75, 1e15, 1e16, 1e21, 1e300),
  fc.constantFrom(2 ** 53, -(2 ** 53), 2 ** 63),
)
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('1', '2', '', '__proto__', 'a')), tie('value'), {
      maxKeys: 4,
    }),
  ),
})).value

/** A text that is nearly JSON. */
const nearly = fc
  .tuple(
    value,
    fc.nat(200),
    fc.nat(3),
    fc.constantFrom('', 'null', '//', '\u00a0', '\ufeff', ...',}["\\0-.e \t'),
  )
  .map(([made, at, cut, put]) => {
    const written = JSON.stringify(made)
    const i = at % (written.length + 1)
    return written.slice(0, i) + put + written.slice(i + cut)
  })
const deep = fc
  .integer({ min: LEVELS - 2, max: LEVELS + 2 })
  .map((n) => '['.repeat(n) + ']'.repeat(n))

/** What JavaScript reads, up to 200 levels; `JSON.parse` itself misreads some escaped keys. */
function expectedOf(written: string): string {
  try {
    const parsed = parseJson(written)
    return levelsOf(parsed) > LEVELS ? 'refused' : canonical(parsed)
  } catch {
    return 'refused'
  }
}

const levelsOf = (one: unknown): number =>
  typeof one === 'object' && one !== null
    ? 1 + Object.values(one).reduce((most: number, each) => Math.max(most, levelsOf(each)), 0)
    : 0

/** One text for each value: keys in order, halves of characters as what replaces them. */
function canonical(one: unknown): string {
  if (typeof one === 'string') return JSON.stringify(wellFormed(one))
  if (typeof one === 'number') return String(one)
  if (Array.isArray(one)) return `[${one.map(canonical).join(',')}]`
  if (typeof one !== 'object' || one === null) return JSON.stringify(one)
  const fields = Object.entries(one).map(([key, each]) => `${canonical(key)}:${canonical(each)}`)
  return `{${fields.sort().join(',')}}`
}

/** Integers that JavaScript cannot hold are exact in Lua, and `1e400` is nothing JSON can hold. */
const isComparable = (written: string) => !/\d{16}|[eE]\+?\d{3}/.test(written)

/** Halves of characters become what stands for them, as UTF-8 has it. */
function wellFormed(one: string): string {
  return decoder.decode(encoder.encode(one))
}

const canonicalText = (answer: string) =>
  answer === 'refused' ? answer : canonical(parseJson(answer))

export const json = propertyTarget(
  { shortRuns: 150, longRuns: 50_000 },
  fc.asyncProperty(
    fc.array(value, { minLength: 1, maxLength: 5 }),
    fc.array(fc.oneof({ weight: 9, arbitrary: nearly }, { weight: 1, arbitrary: deep }), {
      maxLength: 5,
    }),
    async (values, near) => {
      const written = [...values.map((one) => JSON.stringify(one)), ...near.filter(isComparable)]
      const { result, error } = await runLua(SCRIPT, {
        args: written.map((one) => wellFormed(one)),
      })
      promiseSame(error, undefined, 'the run')
      const expected = written.map((one) => expectedOf(wellFormed(one)))
      promiseSame((result as string[]).map(canonicalText), expected, 'decoded and encoded')
      const whole = await runLua('return args', { args: values })
      promiseSame(
        canonical(whole.result),
        canonical(parseJson(JSON.stringify(values.map(asResult)))),
        'args',
      )
    },
  ),
)

/** Integers beyond 2^53 are strings: JavaScript clients would corrupt them. */
function asResult(one: unknown): unknown {
  if (Array.isArray(one)) return one.map(asResult)
  if (typeof one === 'number') {
    const written = JSON.stringify(one)
    const isInt64 =
      /^-?\d+$/.test(written) && BigInt.asIntN(64, BigInt(written)) === BigInt(written)
    return isInt64 && Math.abs(one) > 2 ** 53 ? written : one
  }
  if (typeof one !== 'object' || one === null) return one
  return Object.fromEntries(Object.entries(one).map(([key, each]) => [key, asResult(each)]))
}
