/** What a script prints, as lines: `print` and `io.write` to either stream end up here in order. */
import { ByteSink } from '../json/byte-sink.ts'
import { toText } from '../strings.ts'

const NEWLINE = 10

/** The log of one run, limited in bytes. */
export class LogLines {
  /** Complete lines so far, in order. */
  readonly lines: string[] = []
  readonly #maxBytes: number
  readonly #onLine: ((line: string) => void) | undefined
  readonly #unfinished = new ByteSink()
  #keptBytes = 0
  #droppedBytes = 0

  constructor(maxBytes: number, onLine?: (line: string) => void) {
    this.#maxBytes = maxBytes
    this.#onLine = onLine
  }

  /** Takes bytes as they come; a line is complete at its newline. Nothing of `bytes` is kept. */
  write(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, Math.max(0, this.#maxBytes - this.#keptBytes))
    this.#keptBytes += kept.length
    this.#droppedBytes += bytes.length - kept.length
    let start = 0
    for (let end = kept.indexOf(NEWLINE); end >= 0; end = kept.indexOf(NEWLINE, start)) {
      this.#completeLine(kept.subarray(start, end))
      start = end + 1
    }
    if (start < kept.length) this.#unfinished.write(kept.subarray(start))
  }

  /** A line of the host's own, which no limit drops. */
  note(line: string): void {
    this.#finishLine()
    this.#add(line)
  }

  /** Ends the last line if it has no newline, and says what the limit dropped. */
  finish(): readonly string[] {
    this.#finishLine()
    if (this.#droppedBytes > 0) {
      this.#add(
        `[log limit of ${this.#maxBytes} bytes reached: ${this.#droppedBytes} bytes dropped]`,
      )
      this.#droppedBytes = 0
    }
    return this.lines
  }

  #finishLine(): void {
    if (this.#unfinished.length > 0) this.#completeLine(new Uint8Array())
  }

  #completeLine(rest: Uint8Array): void {
    if (this.#unfinished.length === 0) return this.#add(toText(rest))
    this.#unfinished.write(rest)
    this.#add(toText(this.#unfinished.written))
    this.#unfinished.clear()
  }

  #add(line: string): void {
    this.lines.push(line)
    this.#onLine?.(line)
  }
}
