/** A line being consumed by containers. Tab stops are multiples of four. */
export class Line {
  readonly #source: string
  #at = 0
  #column = 0
  /** Columns left of a partly consumed tab. */
  #pad = 0
  #textAt = 0
  /** Columns of leading white space. */
  indent = 0

  constructor(source: string) {
    this.#source = source
    this.#measure()
  }

  /** Without leading white space. */
  get text(): string {
    return this.#source.slice(this.#textAt)
  }

  /** Including leading white space. */
  get rest(): string {
    return ' '.repeat(this.#pad) + this.#source.slice(this.#at)
  }

  get isBlank(): boolean {
    return this.#textAt >= this.#source.length
  }

  /** Consumes white space, up to this many columns. */
  take(columns: number): void {
    let left = Math.min(columns, this.indent)
    const padded = Math.min(left, this.#pad)
    this.#pad -= padded
    this.#column += padded
    left -= padded
    while (left > 0) {
      const width = this.#source[this.#at] === '\t' ? 4 - (this.#column % 4) : 1
      const taken = Math.min(left, width)
      this.#pad = width - taken
      this.#column += taken
      this.#at += 1
      left -= taken
    }
    this.#measure()
  }

  /** Consumes leading white space and the mark after it. */
  takeMark(characters: number): void {
    this.take(this.indent)
    this.#at += characters
    this.#column += characters
    this.#measure()
  }

  #measure(): void {
    let column = this.#column + this.#pad
    let at = this.#at
    for (; at < this.#source.length; at += 1) {
      const character = this.#source[at]
      if (character === '\t') column += 4 - (column % 4)
      else if (character === ' ') column += 1
      else break
    }
    this.#textAt = at
    this.indent = column - this.#column
  }
}
