/** A run's log: keeps all lines, shows the last. */

export const MAX_SHOWN = 500
const MAX_LINE = 2000

export class LogBuffer {
  #lines: string[] = []
  #characters = 0

  get count(): number {
    return this.#lines.length
  }

  get characters(): number {
    return this.#characters
  }

  get hidden(): number {
    return Math.max(0, this.#lines.length - MAX_SHOWN)
  }

  add(lines: readonly string[]): void {
    for (const line of lines) {
      this.#lines.push(line)
      this.#characters += line.length + 1
    }
  }

  /** Lines since a count, as far as shown. */
  shownSince(count: number): string[] {
    return this.#lines.slice(Math.max(count, this.hidden)).map(shorten)
  }

  /** The whole log as text. */
  text(): string {
    return this.#lines.map((line) => `${line}\n`).join('')
  }
}

function shorten(line: string): string {
  if (line.length <= MAX_LINE) return line
  return `${line.slice(0, MAX_LINE)}… (${line.length - MAX_LINE} more characters: save the log to see them)`
}
