/**
 * Only source text is ever loaded.
 *
 * Lua does not verify bytecode: a crafted chunk reads and writes anywhere in the VM's memory. So the
 * parser refuses precompiled chunks whatever mode was asked for, on every way to it, and the loader of
 * bytecode drops out of the binary.
 */
import type { Statics } from '../statics.ts'
import type { Edit } from '../wat.ts'

const ALLOWED_BY_MODE =
  '(if (local.get $2) (then (br_if $block1 (i32.eqz (call $597 (local.get $2) (i32.const 98))))))'

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
