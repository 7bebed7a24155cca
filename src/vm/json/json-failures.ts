/** What the codec's codes mean, in words. */
import { RaisedInLua } from '../script-error.ts'
import { toText } from '../strings.ts'
import * as codes from './json-codes.ts'

/** Not representable, or nested too deeply. */
export class NotJson extends RaisedInLua {
  constructor(message: string) {
    super(message)
    this.name = 'NotJson'
  }
}

/** The JSON exceeds its maximum. */
export class TooLong extends NotJson {}

const OF_TEXT: Readonly<Record<number, string>> = {
  [codes.TEXT_AFTER_VALUE]: 'unexpected text after the value',
  [codes.EXPECTED_KEY]: 'expected a key in quotes',
  [codes.EXPECTED_COLON]: "expected ':'",
  [codes.EXPECTED_COMMA_OR_BRACE]: "expected ',' or '}'",
  [codes.EXPECTED_COMMA_OR_BRACKET]: "expected ',' or ']'",
  [codes.UNFINISHED_STRING]: 'unfinished string',
  [codes.CONTROL_CHARACTER]: 'control character in a string',
  [codes.INVALID_ESCAPE]: 'invalid escape',
  [codes.TEXT_TOO_DEEP]: `more than ${codes.MAX_JSON_LEVELS} levels`,
}

const OF_VALUE: Readonly<Record<number, string>> = {
  [codes.TOO_DEEP]: `more than ${codes.MAX_JSON_LEVELS} levels`,
  [codes.CYCLE]: 'a table contains itself',
}

/** What is not exact, and what replaces it. */
const INEXACT: Readonly<Record<number, readonly [what: string, as: string]>> = {
  [codes.NOT_A_NUMBER]: ['NaN', 'null'],
  [codes.INFINITE]: ['infinity', 'null'],
  [codes.LARGE_INTEGER]: ['an integer beyond 2^53', 'a string'],
  [codes.NOT_UTF8]: ['a string that is not UTF-8', 'U+FFFD in places'],
  [codes.SAME_KEYS]: ['two keys with the same text', 'one'],
  [codes.FUNCTION]: ['a function', 'null'],
  [codes.USERDATA]: ['a userdata', 'null'],
  [codes.THREAD]: ['a thread', 'null'],
  [codes.BOOLEAN_KEY]: ['a boolean as a key', 'nothing'],
  [codes.USERDATA_KEY]: ['a userdata as a key', 'nothing'],
  [codes.TABLE_KEY]: ['a table as a key', 'nothing'],
  [codes.FUNCTION_KEY]: ['a function as a key', 'nothing'],
  [codes.THREAD_KEY]: ['a thread as a key', 'nothing'],
}

/** @param text From where it is not JSON; empty at its end. */
export function invalidJson(code: number, offset: number, text: Uint8Array): RaisedInLua {
  const problem = code === codes.UNEXPECTED ? unexpected(text) : OF_TEXT[code]!
  return new RaisedInLua(`invalid JSON at position ${offset + 1}: ${problem}`)
}

function unexpected(text: Uint8Array): string {
  if (text.length === 0) return 'unexpected end of text'
  const [first = ''] = toText(text.subarray(0, 4))
  return `unexpected '${first}'`
}

export function notJson(code: number, maxBytes: number): NotJson {
  if (code === codes.TOO_LONG) return new TooLong(`more than ${maxBytes} bytes`)
  const [what] = INEXACT[code - codes.INEXACT] ?? []
  return new NotJson(what === undefined ? OF_VALUE[code]! : `cannot encode ${what}`)
}

/** @param kinds Four bits each, the first one lowest. */
export function replacedKinds(kinds: bigint): string[] {
  const replaced: string[] = []
  for (let rest = kinds; rest > 0n; rest >>= 4n) {
    const [what, as] = INEXACT[Number(rest & 15n)]!
    replaced.push(`${what} became ${as}`)
  }
  return replaced
}
