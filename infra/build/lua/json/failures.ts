/** Why encoding or decoding failed. Nothing unwinds: functions return 0 then, which is no address. */
export let failure: i32 = 0
/** Where, as an address. */
export let failedAt: i32 = 0

export function fail(code: i32, at: i32): i32 {
  failure = code
  failedAt = at
  return 0
}
