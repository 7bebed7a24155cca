/** What a run has told so far: passed on to who watches, and kept for when the thread cannot answer itself. */
import type { ExecuteProgress } from '../operations/run/execute-script.ts'
import type { ExecuteAnswer, FileRow } from '../operations/run/run-answer.ts'
import { compareUtf8 } from '../storage/key-order.ts'
import type { ScriptError } from '../vm/script-error.ts'
import type { RunNews } from './messages.ts'

/** Of one run. */
export class Told {
  /** All that was logged. */
  readonly lines: string[] = []
  readonly #progress: ExecuteProgress
  readonly #rows = new Map<string, FileRow>()
  #isAdmitted = false

  constructor(progress: ExecuteProgress) {
    this.#progress = progress
  }

  hear(news: RunNews): void {
    switch (news.type) {
      case 'admitted':
        return this.#admit()
      case 'logs':
        for (const line of news.lines) {
          this.lines.push(line)
          this.#progress.onLog?.(line)
        }
        return
      case 'file':
        this.#rows.set(news.row.name, news.row)
        this.#progress.onFile?.(news.row)
    }
  }

  /** All there is of a run that got no further: its lines, and its files as they are stored. */
  answerWith(error: ScriptError): ExecuteAnswer {
    this.#admit()
    const files_touched = [...this.#rows.values()].sort((a, b) => compareUtf8(a.name, b.name))
    return { resultJson: 'null', logs: this.lines, files_touched, error }
  }

  #admit(): void {
    if (this.#isAdmitted) return
    this.#isAdmitted = true
    this.#progress.onAdmitted?.()
  }
}
