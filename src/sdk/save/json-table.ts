/** The grammar of JSON as a table: from a state and a byte to the next state, or to an action. */

/** States; a byte that a state does not accept leads to {@link ACTION}`.fail`. */
export const STATE = {
  value: 0,
  valueOrEnd: 1,
  key: 2,
  keyOrEnd: 3,
  colon: 4,
  /** Before {@link STATE.step}. */
  colonOfStep: 5,
  afterElement: 6,
  afterField: 7,
  /** After an element of the array that is taken out. */
  afterRow: 8,
  /** The value that the path names, or leads through. */
  step: 9,
  end: 10,
  keyText: 11,
  text: 17,
  minus: 24,
  zero: 25,
  integer: 26,
  point: 27,
  fraction: 28,
  exponent: 29,
  sign: 30,
  power: 31,
  words: 32,
  /** Within a character of a key, and then of a text: all from here on are. */
  keyUtf8: 44,
  textUtf8: 51,
} as const

/** What the reader has to do; all are above the states. */
export const ACTION = {
  fail: 64,
  space: 65,
  openObject: 66,
  openArray: 67,
  closeObject: 68,
  closeArray: 69,
  startKey: 70,
  endKey: 71,
  /** The byte is the value's last. */
  endValue: 72,
  /** The byte follows the number, and is to be read again. */
  endNumber: 73,
  comma: 74,
  step: 75,
} as const

const BYTES = 256
const SPACES = ' \t\n\r'
const DIGITS = '0123456789'
const WORDS = ['true', 'false', 'null']

/** Indexed by `state * 256 + byte`. */
export const TABLE = makeTable()

function makeTable(): Uint8Array {
  const table = new Uint8Array(64 * BYTES).fill(ACTION.fail)
  const on = (state: number, letters: string, next: number) => {
    for (const letter of letters) table[state * BYTES + letter.charCodeAt(0)] = next
  }
  const onRest = (state: number, next: number) =>
    table.fill(next, state * BYTES, (state + 1) * BYTES)

  onRest(STATE.step, ACTION.step)
  for (let state: number = STATE.value; state <= STATE.end; state++) on(state, SPACES, ACTION.space)
  for (const state of [STATE.value, STATE.valueOrEnd]) addValue(on, state)
  on(STATE.valueOrEnd, ']', ACTION.closeArray)
  for (const state of [STATE.key, STATE.keyOrEnd]) on(state, '"', ACTION.startKey)
  on(STATE.keyOrEnd, '}', ACTION.closeObject)
  on(STATE.colon, ':', STATE.value)
  on(STATE.colonOfStep, ':', STATE.step)
  on(STATE.afterElement, ',', STATE.value)
  on(STATE.afterElement, ']', ACTION.closeArray)
  on(STATE.afterField, ',', STATE.key)
  on(STATE.afterField, '}', ACTION.closeObject)
  on(STATE.afterRow, ',', ACTION.comma)
  on(STATE.afterRow, ']', ACTION.closeArray)
  addText(table, on, STATE.keyText, ACTION.endKey)
  addText(table, on, STATE.text, ACTION.endValue)
  addUtf8(table, STATE.keyText, STATE.keyUtf8)
  addUtf8(table, STATE.text, STATE.textUtf8)
  addNumber(on, onRest)
  WORDS.forEach((word, i) => {
    for (let at = 1; at < word.length; at++) {
      const isLast = at === word.length - 1
      on(wordState(i, at), word[at]!, isLast ? ACTION.endValue : wordState(i, at + 1))
    }
  })
  return table
}

type On = (state: number, letters: string, next: number) => void

function addValue(on: On, state: number): void {
  on(state, '"', STATE.text)
  on(state, '{', ACTION.openObject)
  on(state, '[', ACTION.openArray)
  on(state, '-', STATE.minus)
  on(state, DIGITS, STATE.integer)
  on(state, '0', STATE.zero)
  WORDS.forEach((word, i) => on(state, word[0]!, wordState(i, 1)))
}

/** Takes six states: the text, an escape, and four digits of a character code. */
function addText(table: Uint8Array, on: On, state: number, end: number): void {
  const escape = state + 1
  table.fill(state, state * BYTES + 0x20, state * BYTES + 0x80)
  on(state, '"', end)
  on(state, '\\', escape)
  on(escape, '"\\/bfnrt', state)
  on(escape, 'u', escape + 1)
  for (let digit = 1; digit <= 4; digit++) {
    on(escape + digit, `${DIGITS}abcdefABCDEF`, digit === 4 ? state : escape + digit + 1)
  }
}

/**
 * Characters beyond ASCII: none too long, no surrogates, none beyond U+10FFFF. Takes seven states:
 * one, two and three more bytes to come, and four whose next byte is restricted.
 */
function addUtf8(table: Uint8Array, text: number, first: number): void {
  const [one, two, three, afterE0, afterEd, afterF0, afterF4] = [0, 1, 2, 3, 4, 5, 6].map(
    (i) => first + i,
  ) as [number, number, number, number, number, number, number]
  const onRange = (state: number, from: number, to: number, next: number) =>
    table.fill(next, state * BYTES + from, state * BYTES + to + 1)
  onRange(text, 0xc2, 0xdf, one)
  onRange(text, 0xe0, 0xef, two)
  onRange(text, 0xe0, 0xe0, afterE0)
  onRange(text, 0xed, 0xed, afterEd)
  onRange(text, 0xf0, 0xf0, afterF0)
  onRange(text, 0xf1, 0xf3, three)
  onRange(text, 0xf4, 0xf4, afterF4)
  onRange(one, 0x80, 0xbf, text)
  onRange(two, 0x80, 0xbf, one)
  onRange(three, 0x80, 0xbf, two)
  onRange(afterE0, 0xa0, 0xbf, one)
  onRange(afterEd, 0x80, 0x9f, one)
  onRange(afterF0, 0x90, 0xbf, two)
  onRange(afterF4, 0x80, 0x8f, two)
}

function addNumber(on: On, onRest: (state: number, next: number) => void): void {
  const { minus, zero, integer, point, fraction, exponent, sign, power } = STATE
  for (const state of [zero, integer, fraction, power]) onRest(state, ACTION.endNumber)
  on(minus, DIGITS, integer)
  on(minus, '0', zero)
  on(zero, DIGITS, ACTION.fail)
  on(integer, DIGITS, integer)
  for (const state of [zero, integer]) on(state, '.', point)
  for (const state of [point, fraction]) on(state, DIGITS, fraction)
  for (const state of [zero, integer, fraction]) on(state, 'eE', exponent)
  on(exponent, '+-', sign)
  for (const state of [exponent, sign, power]) on(state, DIGITS, power)
}

/** Before the letter at this index. */
function wordState(word: number, at: number): number {
  return STATE.words + word * 4 + at - 1
}
