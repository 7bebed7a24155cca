/** Answers system calls that have only one possible result inside the module. */
import { ERRNO } from '../../../../src/vm/system/errno.ts'
import type { Edit } from '../wat.ts'

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
