/** Refuses bytecode. */
import type { Statics } from '../statics.ts'
import type { Edit } from '../wat.ts'

const ALLOWED_BY_MODE =
  '(if (local.get $2) (then (br_if $block1 (i32.eqz (call $597 (local.get $2) (i32.const 98))))))'

/**
 * Lua does not verify bytecode: a crafted chunk can read and write all of the VM's memory. The
 * parser refuses precompiled chunks in every mode, and the undump code drops out of the binary.
 */
export const textChunks = (statics: Statics): Edit => ({
  name: 'bytecode is refused',
  apply(module) {
    const mode = statics.string('t')
    module.replaceIn(
      '$f_parser',
      ALLOWED_BY_MODE,
      1,
      `(local.set $2 (i32.const ${mode})) (br $block1)`,
    )
  },
})
