/** The system below Lua: calls without a host, errors as on Linux, the clock. */
import { ERRNO } from '../../../../src/vm/system/errno.ts'
import type { Edit } from '../wat.ts'
import type { Statics } from '../statics.ts'
import { FUEL_PER_SECOND } from '../../../../src/limits.ts'

const APPEND_FLAG = 1024

const ANSWERS: Record<string, string> = {
  __syscall_dup3: '(unreachable)',
  // Called only for handles in append mode.
  __syscall_fcntl64: `(i32.const ${APPEND_FLAG})`,
  __syscall_ioctl: `(i32.const ${-ERRNO.ENOTTY.wasi})`,
  __syscall_readlinkat: '(unreachable)',
  __syscall_rmdir: `(i32.const ${-ERRNO.EISDIR.wasi})`,
  _emscripten_get_now_is_monotonic: '(i32.const 0)',
  _localtime_js: '(call $_gmtime_js (local.get 0) (local.get 1))',
  _tzset_js: '(nop)',
  // Failure: there is no environment.
  environ_sizes_get: '(i32.const 1)',
  environ_get: '(unreachable)',
  exit: '(unreachable)',
  system: '(unreachable)',
}

/**
 * A VM has no terminal, environment, time zone or processes. Fewer imports make instantiation
 * faster.
 */
export const unusedImports: Edit = {
  name: 'system calls with one answer need no host',
  apply(module) {
    for (const [name, body] of Object.entries(ANSWERS)) {
      const [field] = module.all('(import ').filter((text) => text.includes(`"${name}"`))
      const signature = field?.match(/\(func \$\w+ ?(.*)\)\)$/)?.[1]
      if (!field || signature === undefined) throw new Error(`no import ${name}`)
      module.remove(field, 1)
      module.add(`(func $${name} ${signature} ${body})`)
    }
  },
}

const ERRNO_ADDRESS = 31456
const setErrno = (name: keyof typeof ERRNO) =>
  `(i32.store (i32.const ${ERRNO_ADDRESS}) (i32.const ${ERRNO[name].wasi}))`
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
    module.replaceIn('$__floatscan', setErrno('EINVAL'), '(nop)', 2)

    for (const name of ['$__toread', '$__towrite']) {
      const fail = `${MARK_FAILED} ${setErrno('EBADF')} ${GIVE_UP}`
      module.replaceIn(name, `${MARK_FAILED} ${GIVE_UP}`, fail)
    }
  },
})

/** Deployed Workers stop the clock during computation, so fuel is counted as seconds. */
export const clock: Edit = {
  name: 'os.clock counts fuel',
  apply(module) {
    module.add('(global $budget (export "budget") (mut i64) (i64.const 0))')
    module.replace(
      '(func $os_clock ',
      `(func $os_clock (param $L i32) (result i32)
        (call $lua_pushnumber (local.get $L)
         (f64.div (f64.convert_i64_s (i64.sub (global.get $budget) (i64.sub (global.get $fuel) (global.get $bottom))))
          (f64.const ${FUEL_PER_SECOND})))
        (i32.const 1))`,
    )
  },
}
