/** A service without memory for another request. */
import { Admission } from '../../src/operations/memory/admission.ts'
import { makeGate } from './gate.ts'

/** Whoever waits is refused after 40 ms, until `free` ends the request that has all the memory. */
export function busyAdmission(maxBytes = 1) {
  const admission = new Admission(maxBytes, 40)
  const gate = makeGate()
  const other = admission.admit({ maxBytes, maxMs: 60_000 }, () => gate.opened)
  async function free() {
    gate.open()
    await other
  }
  return { admission, free }
}
