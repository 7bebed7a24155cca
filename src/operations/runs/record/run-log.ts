/** Stores the log lines and files of a run while it goes on, a few parts at a time. */
import type { RecordedRow } from '../../run/run-answer.ts'
import type { RecordedEvent } from './run-record.ts'
import type { RunStore } from './run-store.ts'

const PART_MS = 2_000
const PART_CHARACTERS = 65_536
/** Of the last part, which the answer makes up for. */
const LAST_ATTEMPTS = 3

/** A part that could not be stored is sent again as it was: the store may hold it already. */
interface SentPart {
  readonly number: number
  readonly events: readonly RecordedEvent[]
  readonly ids: Set<string>
}

/** A part begins {@link PART_MS} after its first event, or as soon as it is full. */
export class RunLog {
  /** So far, whether or not they are stored. */
  lines: number
  readonly #store: RunStore
  readonly #waiting: RecordedEvent[] = []
  #waitingCharacters = 0
  #number: number
  #unsent: SentPart | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<void> | undefined

  /** @param before What an earlier attempt of the run left. */
  constructor(store: RunStore, before: { readonly parts: number; readonly lines: number }) {
    this.#store = store
    this.#number = before.parts
    this.lines = before.lines
  }

  readonly onLog = (line: string): void => {
    this.lines++
    this.#add(['log', line], line.length)
  }

  readonly onFile = (row: RecordedRow): void => this.#add(['file', row], row.name.length)

  /** Stores what is left. Never rejects: the answer has it all. */
  async end(): Promise<void> {
    for (let failures = 0; failures < LAST_ATTEMPTS && this.#hasMore;) {
      await this.#send()
      if (this.#unsent) failures++
    }
    clearTimeout(this.#timer)
  }

  get #hasMore(): boolean {
    return this.#sending !== undefined || this.#unsent !== undefined || this.#waiting.length > 0
  }

  #add(event: RecordedEvent, characters: number): void {
    this.#waiting.push(event)
    this.#waitingCharacters += characters
    if (this.#waitingCharacters >= PART_CHARACTERS) void this.#send()
    else this.#sendLater()
  }

  #sendLater(): void {
    this.#timer ??= setTimeout(() => void this.#send(), PART_MS)
  }

  /** One part at a time, so that parts have no gaps. */
  #send(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending ??= this.#sendPart().finally(() => {
      this.#sending = undefined
      if (this.#waitingCharacters >= PART_CHARACTERS && !this.#unsent) void this.#send()
      else if (this.#hasMore) this.#sendLater()
    })
    return this.#sending
  }

  async #sendPart(): Promise<void> {
    const part = this.#unsent ?? { number: this.#number, events: this.#take(), ids: new Set() }
    if (part.events.length === 0) return
    try {
      await this.#store.putPart('log', part.number, part.events, part.ids)
      this.#number = part.number + 1
      this.#unsent = undefined
    } catch {
      this.#unsent = part
    }
  }

  #take(): readonly RecordedEvent[] {
    let characters = 0
    let count = 0
    while (count < this.#waiting.length && characters < PART_CHARACTERS) {
      const [kind, data] = this.#waiting[count++]!
      characters += kind === 'log' ? data.length : data.name.length
    }
    this.#waitingCharacters -= characters
    return this.#waiting.splice(0, count)
  }
}
