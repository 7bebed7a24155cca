/** What a script prints, as lines: `print` and `io.write` to either stream end up here in order. */
import { toText } from './strings.ts'

const NEWLINE = 10

export class LogLines {
  /** Complete lines so far, in order. */
  readonly lines: string[] = []
  readonly #maxBytes: number
  readonly #onLine: ((line: string) => void) | undefined
  #pending: Uint8Array[] = []
  #keptBytes = 0
  #droppedBytes = 0

  constructor(maxBytes: number, onLine?: (line: string) => void) {
    this.#maxBytes = maxBytes
    this.#onLine = onLine
  }

  /** Takes bytes as they come; a line is complete at its newline. The bytes are copied. */
  write(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, Math.max(0, this.#maxBytes - this.#keptBytes))
    this.#keptBytes += kept.length
    this.#droppedBytes += bytes.length - kept.length
    let start = 0
    for (let end = kept.indexOf(NEWLINE); end >= 0; end = kept.indexOf(NEWLINE, start)) {
      this.#pending.push(kept.slice(start, end))
      this.#completeLine()
      start = end + 1
    }
    if (start < kept.length) this.#pending.push(kept.slice(start))
  }

  /** A line of the host's own, which no limit drops. */
  note(line: string): void {
    this.finishLine()
    this.#add(line)
  }

  /** Ends the last line if it has no newline, and says what the limit dropped. */
  finish(): readonly string[] {
    this.finishLine()
    if (this.#droppedBytes > 0) {
      this.#add(
        `[log limit of ${this.#maxBytes} bytes reached: ${this.#droppedBytes} bytes dropped]`,
      )
      this.#droppedBytes = 0
    }
    return this.lines
  }

  finishLine(): void {
    if (this.#pending.length > 0) this.#completeLine()
  }

  #completeLine(): void {
    const [first, ...rest] = this.#pending
    this.#pending = []
    this.#add(toText(rest.length === 0 ? first! : concatenate([first!, ...rest])))
  }

  #add(line: string): void {
    this.lines.push(line)
    this.#onLine?.(line)
  }
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((bytes, part) => bytes + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
