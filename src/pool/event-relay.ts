/** Relays a run's events, and keeps them in case the thread is lost. */
import type { ExecuteProgress } from '../operations/run/execute-script.ts'
import type { ExecuteAnswer, FileRow } from '../operations/run/run-answer.ts'
import { compareUtf8 } from '../storage/key-order.ts'
import type { ScriptError } from '../vm/script-error.ts'
import type { RunEvent } from './messages.ts'

export class EventRelay {
  readonly lines: string[] = []
  readonly #progress: ExecuteProgress
  readonly #rows = new Map<string, FileRow>()
  #isAdmitted = false

  constructor(progress: ExecuteProgress) {
    this.#progress = progress
  }

  relay(event: RunEvent): void {
    switch (event.type) {
      case 'admitted':
        return this.#admit()
      case 'logs':
        for (const line of event.lines) {
          this.lines.push(line)
          this.#progress.onLog?.(line)
        }
        return
      case 'file':
        this.#rows.set(event.row.name, event.row)
        this.#progress.onFile?.(event.row)
    }
  }

  /** The partial answer of a lost run: its log and stored files. */
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
