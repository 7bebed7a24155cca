/**
 * `read("a")` asks the host first: what is too large to be held is refused before any of it is read.
 *
 * Without that, a script that means well would read for minutes and end with "not enough memory".
 */
import type { Edit } from '../wat.ts'

// The buffer of `read("a")` is the one whose filling loops. FILE: fd 60. The block's value is the result.
const START_OF_READ_ALL = '(call $luaL_buffinit (local.get $0) (local.get $3)) (loop $label2 '
const REFUSAL = `(if
  (local.tee $4
   (call $checked (local.get $0)
    (call $host_read_all (local.get $0) (i32.load offset=60 (local.get $1)))))
  (then (br $block16 (local.get $4)))) `

export const wholeFiles: Edit = {
  name: 'reading all of a file asks the host',
  apply(module) {
    module.replaceIn('$g_read', START_OF_READ_ALL, 1, REFUSAL + START_OF_READ_ALL)
  },
}
