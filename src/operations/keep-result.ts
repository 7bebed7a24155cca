/** Makes a file of a result that is too large for the answer. */
import type { VirtualPath } from '../files/path.ts'
import type { ScriptError } from '../vm/script-error.ts'
import { keepOutput, type OutputPlace } from './keep-output.ts'

const PREVIEW_CHARACTERS = 2000

/** A result as the answer tells it. */
export interface KeptResult {
  /** JSON text: the result, or the beginning of its text as a string. */
  readonly resultJson: string
  /** Where the whole result is, if not here. */
  readonly resultFile?: VirtualPath | undefined
}

/** A result that cannot be kept as a file is an error, and its beginning is all there is. */
export function keepResult(
  resultJson: string,
  place: OutputPlace,
  maxBytes: number,
): KeptResult & { readonly error?: ScriptError } {
  // A character has at most three bytes, so most results need no counting.
  if (resultJson.length * 3 <= maxBytes) return { resultJson }
  const bytes = new TextEncoder().encode(resultJson)
  if (bytes.length <= maxBytes) return { resultJson }

  const preview = JSON.stringify(beginningOf(resultJson))
  const kept = keepOutput(place, 'result', 'json', bytes)
  if (kept.path !== undefined) return { resultJson: preview, resultFile: kept.path }
  const message = `the result has ${bytes.length} bytes, more than the ${maxBytes} of an answer, and cannot be kept as a file: ${kept.reason}`
  return { resultJson: preview, error: { kind: 'result', message } }
}

/** Whole characters: half a surrogate pair is no text to most who read JSON. */
function beginningOf(text: string): string {
  const characters = Array.from(text.slice(0, 2 * PREVIEW_CHARACTERS))
  return characters.slice(0, PREVIEW_CHARACTERS).join('')
}
