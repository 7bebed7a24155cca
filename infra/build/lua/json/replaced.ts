/** What JSON cannot represent exactly: refused, or replaced and noted, each kind once. */
import { INEXACT } from '../../../../src/vm/json/json-codes'
import { fail } from './failures'

let isReplacing: bool = false
/** Kinds in the order they came, four bits each, the first one lowest. */
export let replaced: u64 = 0

export function openReplaced(replaces: bool): void {
  isReplacing = replaces
  replaced = 0
}

/** False after a failure. */
export function mayReplace(kind: i32): bool {
  if (!isReplacing) {
    fail(INEXACT + kind, 0)
    return false
  }
  let place: u64 = 0
  for (let noted = replaced; noted != 0; noted >>= 4) {
    if ((noted & 15) == (kind as u64)) return true
    place += 4
  }
  replaced |= (kind as u64) << place
  return true
}
