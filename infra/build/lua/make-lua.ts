/** Wasmoon's binary → ours: the edits, then the snapshot. Deterministic. */
import { editBinary, type EditOptions } from './edit-binary.ts'
import { bakeSnapshot } from './snapshot.ts'

export function makeLua(glue: Uint8Array, options?: EditOptions): Uint8Array {
  return bakeSnapshot(editBinary(glue, options))
}
