/**
 * The XML of a row. Texts are stored in their cells: a list of them would have to stay in memory.
 */
import { FormatError } from '../format-host.ts'

/** Excel refuses longer ones. */
const MAX_TEXT_LENGTH = 32_767
const A = 65
const LETTERS = 26
/** What programs take for a formula when a person types it. */
const LIKE_FORMULA = /^[=+\-@]/

/** @param place For messages. @throws {FormatError} */
export function rowXml(cells: readonly unknown[], row: number, place: () => string): string {
  let xml = `<row r="${row}">`
  cells.forEach((value, i) => {
    if (value === null || value === undefined || value === '') return
    try {
      xml += cellXml(value, `${columnName(i)}${row}`)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      throw new FormatError(`${place()}, column ${i + 1}: ${error.message}`)
    }
  })
  return `${xml}</row>`
}

function cellXml(value: unknown, name: string): string {
  if (typeof value === 'boolean') return `<c r="${name}" t="b"><v>${value ? 1 : 0}</v></c>`
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new FormatError('not a number that a cell can hold')
    return `<c r="${name}"><v>${value}</v></c>`
  }
  // Excel's numbers have 53 bits; as text all digits stay.
  if (typeof value === 'bigint') return textXml(value.toString(), name)
  if (typeof value === 'string') return textXml(value, name)
  throw new FormatError('a cell holds text, a number or a boolean, not a table')
}

function textXml(text: string, name: string): string {
  if (text.length > MAX_TEXT_LENGTH) {
    throw new FormatError(`text of ${text.length} characters; a cell holds ${MAX_TEXT_LENGTH}`)
  }
  const style = LIKE_FORMULA.test(text) ? ' s="1"' : ''
  const space = /^\s|\s$|\n/.test(text) ? ' xml:space="preserve"' : ''
  return `<c r="${name}" t="inlineStr"${style}><is><t${space}>${escapeXml(escapeControls(text))}</t></is></c>`
}

/** For text and for attributes. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Characters that XML cannot hold or changes are written `_x000D_`, as Excel does. */
function escapeControls(text: string): string {
  return (
    text
      .replaceAll(/_x(?=[0-9a-f]{4}_)/gi, '_x005F_x')
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[\0-\x08\x0b-\x1f\ufffe\uffff]|\p{Cs}/gu, (character) => {
        const code = character.charCodeAt(0).toString(16).toUpperCase()
        return `_x${code.padStart(4, '0')}_`
      })
  )
}

/** 0 is `A`, 26 is `AA`. */
function columnName(index: number): string {
  let name = ''
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / LETTERS)) {
    name = String.fromCharCode(A + ((rest - 1) % LETTERS)) + name
  }
  return name
}
