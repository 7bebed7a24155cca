/** Error numbers and messages as on Linux. */
import { ERRNO } from '../../../../src/vm/system/errno.ts'
import type { Statics } from '../statics.ts'
import type { Edit } from '../wat.ts'

const ERRNO_ADDRESS = 31456
const MARK_FAILED = '(i32.or (local.get $1) (i32.const 32)))'
const GIVE_UP = '(return (i32.const -1))'

/**
 * The binary has WASI's numbers (ENOENT is 44) and musl's messages; scripts written for stock Lua
 * compare with 2 and expect "Input/output error". musl also leaves `errno` unset when a handle is
 * used in the wrong direction, where glibc sets EBADF.
 */
export const linuxErrors = (statics: Statics): Edit => ({
  name: 'errors are those of Linux',
  apply(module) {
    const numbers: number[] = Array.from({ length: 80 }, (_, wasi) => wasi)
    for (const { wasi, linux } of Object.values(ERRNO)) numbers[wasi] = linux
    const table = statics.bytes(numbers)
    const separator = statics.string(': ')

    // As the C function: returns true, or nil, message and number.
    module.replace(
      '(func $luaL_fileresult ',
      `(func $luaL_fileresult (param $L i32) (param $ok i32) (param $name i32) (result i32)
        (local $errno i32)
        (local.set $errno (i32.load (i32.const ${ERRNO_ADDRESS})))
        (if (local.get $ok)
         (then (call $lua_pushboolean (local.get $L) (i32.const 1)) (return (i32.const 1))))
        (call $lua_pushnil (local.get $L))
        (if (local.get $name)
         (then
          (drop (call $lua_pushstring (local.get $L) (local.get $name)))
          (drop (call $lua_pushstring (local.get $L) (i32.const ${separator})))))
        (drop (call $lua_pushstring (local.get $L) (call $strerror (local.get $errno))))
        (if (local.get $name) (then (call $lua_concat (local.get $L) (i32.const 3))))
        (call $lua_pushinteger (local.get $L)
         (i64.load8_u offset=${table} (local.get $errno)))
        (i32.const 3))`,
    )

    // Linux's messages, else musl's from its offset table, without the locale lookup.
    const texts = Object.values(ERRNO).flatMap(({ wasi, text }) =>
      text
        ? `(if (i32.eq (local.get $errno) (i32.const ${wasi}))
            (then (return (i32.const ${statics.string(text)}))))`
        : [],
    )
    module.replace(
      '(func $strerror ',
      `(func $strerror (param $errno i32) (result i32)
        ${texts.join('\n')}
        (i32.add (i32.const 28212)
         (i32.load16_u offset=30128 (i32.shl (local.get $errno) (i32.const 1)))))`,
    )

    // A malformed number must not hide the error that reading failed with.
    module.replaceIn(
      '$__floatscan',
      `(i32.store (i32.const ${ERRNO_ADDRESS}) (i32.const ${ERRNO.EINVAL.wasi}))`,
      2,
      '(nop)',
    )

    const setErrno = `(i32.store (i32.const ${ERRNO_ADDRESS}) (i32.const ${ERRNO.EBADF.wasi}))`
    for (const name of ['$__toread', '$__towrite']) {
      module.replaceIn(
        name,
        `${MARK_FAILED} ${GIVE_UP}`,
        1,
        `${MARK_FAILED} ${setErrno} ${GIVE_UP}`,
      )
    }
  },
})
