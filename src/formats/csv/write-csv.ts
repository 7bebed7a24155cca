/** Writes fields of CSV (RFC 4180) that no spreadsheet takes for formulas. */

const QUOTE = 0x22
const APOSTROPHE = 0x27
const LF = 0x0a
const CR = 0x0d
/** `=`, `+`, `-`, `@`, tab and carriage return. */
const FORMULA_STARTS = [0x3d, 0x2b, 0x2d, 0x40, 0x09, CR]
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const MAX_NUMBER_LENGTH = 64

export interface CsvStyle {
  /** One ASCII character; a comma by default. */
  readonly separator?: string | undefined
  /** Whether text may be a formula when a spreadsheet opens the file; by default it is not. */
  readonly formulas?: boolean | undefined
}

/** What is written to. */
export interface ByteOutput {
  writeByte(byte: number): void
  write(bytes: Uint8Array): void
}

/** One field after the other; {@link endRow} after the last of a row. */
export class CsvWriter {
  readonly #out: ByteOutput
  readonly #separator: number
  readonly #formulas: boolean
  #fields = 0
  #isEmpty = true

  constructor(out: ByteOutput, { separator = ',', formulas = false }: CsvStyle = {}) {
    this.#out = out
    this.#separator = separator.charCodeAt(0)
    this.#formulas = formulas
  }

  /** A number, a word or nothing: written as it is. */
  plain(bytes: Uint8Array): void {
    this.#begin(bytes)
    this.#out.write(bytes)
  }

  /**
   * Text that begins like a formula and is no number gets an apostrophe before it, which
   * spreadsheets take as a sign for text.
   */
  text(bytes: Uint8Array): void {
    this.#begin(bytes)
    const isGuarded = !this.#formulas && mayBeFormula(bytes)
    const isQuoted = this.#needsQuotes(bytes)
    if (isQuoted) this.#out.writeByte(QUOTE)
    if (isGuarded) this.#out.writeByte(APOSTROPHE)
    if (isQuoted) this.#quoted(bytes)
    else this.#out.write(bytes)
  }

  /** Without the line end. */
  endRow(): void {
    // Readers skip empty lines.
    if (this.#isEmpty && this.#fields <= 1) {
      this.#out.writeByte(QUOTE)
      this.#out.writeByte(QUOTE)
    }
    this.#fields = 0
    this.#isEmpty = true
  }

  endLine(): void {
    this.endRow()
    this.#out.writeByte(CR)
    this.#out.writeByte(LF)
  }

  #begin(bytes: Uint8Array): void {
    if (this.#fields++ > 0) this.#out.writeByte(this.#separator)
    if (bytes.length > 0) this.#isEmpty = false
  }

  #needsQuotes(bytes: Uint8Array): boolean {
    for (const byte of bytes) {
      if (byte === this.#separator || byte === QUOTE || byte === LF || byte === CR) return true
    }
    return false
  }

  #quoted(bytes: Uint8Array): void {
    let start = 0
    for (let at = bytes.indexOf(QUOTE); at >= 0; at = bytes.indexOf(QUOTE, start)) {
      this.#out.write(bytes.subarray(start, at + 1))
      this.#out.writeByte(QUOTE)
      start = at + 1
    }
    this.#out.write(bytes.subarray(start))
    this.#out.writeByte(QUOTE)
  }
}

function mayBeFormula(bytes: Uint8Array): boolean {
  if (!FORMULA_STARTS.includes(bytes[0]!)) return false
  if (bytes.length > MAX_NUMBER_LENGTH) return true
  return !NUMBER.test(String.fromCharCode(...bytes))
}
