/** JSON whose whole numbers stay exact: scripts have 64 bits, JavaScript's numbers 53. */

import { parseJson } from '../../lib/parse-json.ts'

/** As V8 has it; TypeScript's library does not know it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
/** Scripts take 200, and an answer's part may be put into a table of ours. */
const MAX_LEVELS = 190
const MAX_CONTAINERS = 200_000
const MAX_COMMAS = 1_000_000
/** A longer integer is no number of 64 bits, and reading it takes time that grows faster than its length. */
const MAX_INTEGER_LENGTH = 20

/** Integers beyond what a number holds become bigints. */
export function parseExact(text: string): unknown {
  return parseJson(text, (digits) =>
    digits.length <= MAX_INTEGER_LENGTH ? BigInt(digits) : Number(digits),
  )
}

/** Writes bigints as the numbers they are. */
export function stringifyExact(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? rawJSON(String(part)) : part,
  )
}

/** What somebody else sent: `undefined` if it is no JSON, or more than can be followed or held here. */
export function findJson(text: string): unknown {
  if (!isModest(text)) return undefined
  try {
    return parseExact(text)
  } catch {
    // Whoever asked goes on without.
    return undefined
  }
}

/**
 * Looks at brackets and commas only. Parsing knows no limit on levels, but walking what was parsed does; and small
 * objects take twenty times the memory of their text.
 */
function isModest(text: string): boolean {
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
