/** Log lines of a run: all of them are kept, and only the last are for the page. */

export const MAX_SHOWN = 500
const MAX_LINE = 2000

export class LogLines {
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

  /** What was added since there were so many, as far as the page shows it. */
  shownSince(count: number): string[] {
    return this.#lines.slice(Math.max(count, this.hidden)).map(shorten)
  }

  /** Everything, as a file has it. */
  text(): string {
    return this.#lines.map((line) => `${line}\n`).join('')
  }
}

function shorten(line: string): string {
  if (line.length <= MAX_LINE) return line
  return `${line.slice(0, MAX_LINE)}… (${line.length - MAX_LINE} more characters: save the log to see them)`
}
