/** Wasmoon's binary → ours: the edits, then the snapshot. The same input gives the same bytes. */
import { editBinary, type EditOptions } from './edit-binary.ts'
import { bakeSnapshot } from './snapshot.ts'

/** The final binary. */
export function makeLua(glue: Uint8Array, options?: EditOptions): Uint8Array {
  return bakeSnapshot(editBinary(glue, options))
}
