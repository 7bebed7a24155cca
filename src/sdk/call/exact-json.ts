/** JSON that keeps 64-bit integers exact; JavaScript numbers have 53 bits. */

import { parseJson } from '../../lib/json/parse-json.ts'

/** Not in TypeScript's library yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
/** Lua accepts 200, and a part of a response may end up inside a table of ours. */
const MAX_LEVELS = 190
const MAX_CONTAINERS = 200_000
const MAX_COMMAS = 1_000_000
/** Longer integers exceed 64 bits, and BigInt parsing is superlinear. */
const MAX_INTEGER_LENGTH = 20

/** Integers beyond 53 bits become bigints. */
export function parseExact(text: string): unknown {
  return parseJson(text, (digits) =>
    digits.length <= MAX_INTEGER_LENGTH ? BigInt(digits) : Number(digits),
  )
}

/** Writes bigints as plain numbers. */
export function stringifyExact(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? rawJSON(String(part)) : part,
  )
}

/** Parses untrusted text: `undefined` if it is not JSON or is too large to parse. */
export function findJson(text: string): unknown {
  if (!isWithinLimits(text)) return undefined
  try {
    return parseExact(text)
  } catch {
    // Not JSON: the caller falls back.
    return undefined
  }
}

/**
 * Counts brackets and commas only. Deep nesting would overflow later recursion, and small objects
 * take twenty times the memory of their text.
 */
function isWithinLimits(text: string): boolean {
  let levels = 0
  let containers = 0
  let commas = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (isString) {
      if (letter === '\\') at++
      else if (letter === '"') isString = false
    } else if (letter === '"') isString = true
    else if (letter === ',') commas++
    else if (letter === '}' || letter === ']') levels--
    else if (letter === '{' || letter === '[') {
      containers++
      if (++levels > MAX_LEVELS) return false
    }
  }
  return containers <= MAX_CONTAINERS && commas <= MAX_COMMAS
}
