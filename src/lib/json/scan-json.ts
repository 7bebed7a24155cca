/** Scans JSON before parsing: its size, and one field as written. */
import { endOfString } from './parse-json.ts'

export interface JsonShape {
  readonly levels: number
  /** Objects and arrays: far larger in memory than as text. */
  readonly containers: number
  /** Commas between elements and fields. */
  readonly commas: number
  /** The raw value. */
  readonly field?: string
  /** Its offset. */
  readonly fieldAt?: number
}

/** Maximum depth of `args`, plus the body around it. */
export const MAX_LEVELS = 201
/** Small objects take twenty times the memory of their text: a few bodies could fill an isolate. */
export const MAX_CONTAINERS = 200_000
export const MAX_COMMAS = 1_000_000

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** One pass in constant memory; the result is arbitrary for invalid JSON. */
export function scanJson(text: string, name?: string): JsonShape {
  let [depth, levels, containers, commas] = [0, 0, 0, 0]
  let word = ''
  let valueStart = -1
  let found: { readonly field: string; readonly fieldAt: number } | undefined
  const endField = (at: number) => {
    if (depth !== 1 || valueStart < 0) return
    found = { field: text.slice(valueStart, at), fieldAt: valueStart }
    valueStart = -1
  }
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at)
        if (depth === 1 && valueStart < 0) word = text.slice(at, end + 1)
        at = end
        break
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        containers++
        levels = Math.max(levels, ++depth)
        break
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        endField(at)
        depth--
        break
      case COMMA:
        endField(at)
        commas++
        break
      case COLON:
        // The last duplicate wins, as in parsers.
        if (depth === 1 && valueStart < 0 && isName(word, name)) valueStart = at + 1
        break
    }
  }
  return { levels, containers, commas, ...found }
}

/** Whether it is safe to parse. */
export function isModest({ levels, containers, commas }: JsonShape): boolean {
  return levels <= MAX_LEVELS && containers <= MAX_CONTAINERS && commas <= MAX_COMMAS
}

/** Escapes take up to six characters each. */
function isName(word: string, name: string | undefined): boolean {
  if (name === undefined || word.length > 6 * name.length + 2) return false
  try {
    return JSON.parse(word) === name
  } catch {
    // The parser will report it.
    return false
  }
}
