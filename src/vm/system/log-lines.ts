/** The log: output of `print` and `io.write`, in order, as lines. */
import { ByteSink } from '../json/sinks.ts'
import { toText } from '../strings.ts'

const NEWLINE = 10

/** Limited in bytes. */
export class LogLines {
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

  /** Splits at newlines; does not keep `bytes`. */
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

  /** A host line, exempt from the limit. */
  note(line: string): void {
    this.#finishLine()
    this.#add(line)
  }

  /** Ends an unfinished line, and reports what the limit dropped. */
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
