/** Names a value in an error message with bounded C stack. */
import type { LuaFix } from '../lua-fixes.ts'
import { replaceExactly } from '../wat.ts'

/** Branch targets of opcodes 3 (LOADK) to 20 (SELF) that set the register; from 11: indexing. */
const CONSTANTS_AND_UPVALUES = '$block9 $block10 $block $block $block $block $block11 $block'
const INDEXING = '$block12 $block13 $block14 $block15 $block $block $block $block $block $block16'
const NO_NAME = '$block'

/**
 * To name `a.b.b.b`, stock `getobjname` recurses to name `a.b.b`, and so on to the start of the
 * chain: some thousands of fields overflow the C stack, and ours has no guard page. A table or key
 * is named only if it is a local, an upvalue or a constant, so a variant limited to these is
 * enough.
 */
export const namesWithoutRecursion: LuaFix = {
  name: 'naming a value does not recurse',
  commit: '7923dbbf',
  release: '5.4.7',
  apply(module) {
    const stock = module.find('(func $getobjname ')
    module.replaceIn('$getobjname', '(call $getobjname ', 4, '(call $getobjname.basic ')
    const basic = replaceExactly(
      stock,
      `(br_table ${CONSTANTS_AND_UPVALUES} ${INDEXING} ${NO_NAME} `,
      1,
      `(br_table ${CONSTANTS_AND_UPVALUES} ${NO_NAME} `,
    )
    module.add(replaceExactly(basic, '(func $getobjname ', 1, '(func $getobjname.basic '))
  },
}
