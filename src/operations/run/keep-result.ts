/** Makes a file of a result that is too large for the answer. */
import type { VirtualPath } from '../../files/path.ts'
import type { ScriptError } from '../../vm/script-error.ts'
import type { ScriptResult } from '../../vm/script-frame.ts'
import { keepOutput, type OutputPlace } from './keep-output.ts'

const PREVIEW_CHARACTERS = 2000
/** Of one character, as JSON has it in UTF-8. */
const MAX_CHARACTER_BYTES = 4

/** A result as the answer tells it. */
export interface KeptResult {
  /** JSON text: the result, or the beginning of its text as a string. */
  readonly resultJson: string
  /** Where the whole result is, if not here. */
  readonly result_file?: VirtualPath | undefined
}

/** A result that cannot be kept as a file is an error, and its beginning is all there is. */
export function keepResult(
  result: ScriptResult,
  place: OutputPlace,
  maxBytes: number,
): KeptResult & { readonly error?: ScriptError } {
  if (typeof result === 'string') return { resultJson: result }
  const { chunks, bytes } = result
  const preview = JSON.stringify(beginningOf(chunks[0]!))
  const kept = keepOutput(place, 'result', 'json', chunks, bytes)
  if (kept.path !== undefined) return { resultJson: preview, result_file: kept.path }
  const message = `the result has ${bytes} bytes, more than the ${maxBytes} of an answer, and cannot be kept as a file: ${kept.reason}`
  return { resultJson: preview, error: { kind: 'result', message } }
}

/** Whole characters: half a surrogate pair is no text to most who read JSON. */
function beginningOf(chunk: Uint8Array): string {
  const bytes = chunk.subarray(0, PREVIEW_CHARACTERS * MAX_CHARACTER_BYTES)
  // The last character may be cut off: streamed, it is left out.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
  return Array.from(text).slice(0, PREVIEW_CHARACTERS).join('')
}
