/** Ids of runs. They begin with the inverted time, so that listings are newest first. */
import { toHex } from '../../../lib/encode.ts'

const TIME_DIGITS = 12
const MAX_TIME = 16 ** TIME_DIGITS - 1
const RANDOM_BYTES = 6

export function newRunId(now: Date): string {
  return timePart(now) + toHex(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))
}

export function isRunId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text)
}

/** When the run was created, by the clock of its process. */
export function timeOfRun(id: string): Date {
  return new Date(MAX_TIME - Number.parseInt(id.slice(0, TIME_DIGITS), 16))
}

function timePart(time: Date): string {
  return (MAX_TIME - time.getTime()).toString(16).padStart(TIME_DIGITS, '0')
}
