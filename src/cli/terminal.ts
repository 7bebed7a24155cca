/** What a command is given by whoever starts it, so that tests can start it without a process. */
import type { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'

export interface Terminal {
  /** The folder that relative paths mean. */
  readonly folder: string
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  /** Emits the signals that are sent to the command. */
  readonly signals: EventEmitter
}
