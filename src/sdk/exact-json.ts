/** JSON whose whole numbers stay exact: scripts have 64 bits, JavaScript's numbers 53. */

/** As V8 has them; TypeScript's library does not know them yet. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown
  rawJSON(text: string): unknown
}

const { parse, rawJSON } = JSON as unknown as ExactJson

/** Integers beyond what a number holds become bigints. */
export function parseExact(text: string): unknown {
  // Most texts have no long numbers, and a reviver is slow.
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  return parse(text, (_, value, { source = '' }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
      ? BigInt(source)
      : value,
  )
}

/** Writes bigints as the numbers they are. */
export function stringifyExact(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? rawJSON(String(part)) : part,
  )
}
