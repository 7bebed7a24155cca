/** Moves a result that is too large for the answer to a file. */
import type { VirtualPath } from '../../files/path.ts'
import type { ScriptError } from '../../vm/script-error.ts'
import type { ScriptResult } from '../../vm/script-frame.ts'
import { keepOutput, type OutputPlace } from './keep-output.ts'

const PREVIEW_CHARACTERS = 2000
/** In UTF-8. */
const MAX_CHARACTER_BYTES = 4

export interface KeptResult {
  /** The result as JSON, or the beginning of that text as a JSON string. */
  readonly resultJson: string
  /** The file with the whole result, if it is not inline. */
  readonly result_file?: VirtualPath | undefined
}

/** If it cannot be kept as a file, returns an error and only the beginning. */
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

/** Whole characters: many JSON readers reject a lone surrogate. */
function beginningOf(chunk: Uint8Array): string {
  const bytes = chunk.subarray(0, PREVIEW_CHARACTERS * MAX_CHARACTER_BYTES)
  // `stream` leaves out a last character that is cut off.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
  return Array.from(text).slice(0, PREVIEW_CHARACTERS).join('')
}
