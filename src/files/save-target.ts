/** A file that is written from outside the script, in pieces. */

/** Nothing of it is visible before it is closed. */
export interface SaveTarget {
  /** Normalised. */
  readonly path: string
  /** What can be written without {@link makeRoom}. */
  readonly roomBytes: number
  /**
   * Takes room at the store for about this many bytes.
   *
   * @throws the limit, if there is less than `least`, by default all of them.
   */
  makeRoom(bytes: number, least?: number): Promise<void>
  /** Copies the bytes; waits while the store is behind. @throws what is raised in Lua. */
  write(bytes: Uint8Array): Promise<void>
  /** Replaces the file. @throws what is raised in Lua; the file is as before then. */
  close(): Promise<void>
  /** Leaves nothing behind. */
  abort(reason?: unknown): Promise<void>
}
