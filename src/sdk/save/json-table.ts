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
  table.fill(state, state * BYTES + 0x20, (state + 1) * BYTES)
  on(state, '"', end)
  on(state, '\\', escape)
  on(escape, '"\\/bfnrt', state)
  on(escape, 'u', escape + 1)
  for (let digit = 1; digit <= 4; digit++) {
    on(escape + digit, `${DIGITS}abcdefABCDEF`, digit === 4 ? state : escape + digit + 1)
  }
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
