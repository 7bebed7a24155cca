/** Looks over JSON text before it is parsed: how much it would become, and how one field was written. */

/** What the text holds, as far as that can be told without reading numbers and words. */
export interface JsonShape {
  readonly levels: number
  /** Objects and arrays: they take far more memory than text. */
  readonly containers: number
  /** Elements and fields beyond the first of each object and array. */
  readonly commas: number
  /** The text of the field's value. */
  readonly field?: string
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** In one pass, with no more memory than it answers; text that is no JSON gives any answer. */
export function scanJson(text: string, name?: string): JsonShape {
  let [depth, levels, containers, commas] = [0, 0, 0, 0]
  let word = ''
  let valueStart = -1
  let field: string | undefined
  const endField = (at: number) => {
    if (depth !== 1 || valueStart < 0) return
    field = text.slice(valueStart, at)
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
        // The last one counts, as it does for parsers.
        if (depth === 1 && valueStart < 0 && isName(word, name)) valueStart = at + 1
        break
    }
  }
  return { levels, containers, commas, ...(field !== undefined && { field }) }
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}

/** A name may be written with escapes, each six characters long at most. */
function isName(word: string, name: string | undefined): boolean {
  if (name === undefined || word.length > 6 * name.length + 2) return false
  try {
    return JSON.parse(word) === name
  } catch {
    // Whoever parses the text will say so.
    return false
  }
}
