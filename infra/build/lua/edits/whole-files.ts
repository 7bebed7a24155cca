/** `read("a")` asks the host first: a file too large for memory is refused before it is read. */
import type { Edit } from '../wat.ts'

// The buffer of `read("a")` is the one filled in a loop. FILE: fd 60. The block yields the result.
const START_OF_READ_ALL = '(call $luaL_buffinit (local.get $0) (local.get $3)) (loop $label2 '
const REFUSAL = `(if
  (local.tee $4
   (call $checked (local.get $0)
    (call $host_read_all (local.get $0) (i32.load offset=60 (local.get $1)))))
  (then (br $block16 (local.get $4)))) `

/** Without this, a well-meant script reads for minutes and ends with "not enough memory". */
export const wholeFiles: Edit = {
  name: 'reading all of a file asks the host',
  apply(module) {
    module.replaceIn('$g_read', START_OF_READ_ALL, 1, REFUSAL + START_OF_READ_ALL)
  },
}
