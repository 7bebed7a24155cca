/** A command's surroundings, so that tests can run it without a process. */
import type { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'

export interface Terminal {
  /** The working directory. */
  readonly folder: string
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  /** Emits process signals. */
  readonly signals: EventEmitter
}
