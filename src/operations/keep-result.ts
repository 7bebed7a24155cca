/** Makes a file of a result that is too large for the answer. */
import { AppError } from '../errors.ts'
import { FileError } from '../files/file-error.ts'
import { parsePath, type VirtualPath } from '../files/path.ts'
import type { VirtualFiles } from '../files/virtual-files.ts'
import type { FileAccess } from '../vm/library.ts'
import type { ScriptError } from '../vm/script-error.ts'

const PREVIEW_CHARACTERS = 2000

/** A result as the answer tells it. */
export interface KeptResult {
  /** JSON text: the result, or the beginning of its text as a string. */
  readonly resultJson: string
  /** Where the whole result is, if not here. */
  readonly resultFile?: VirtualPath | undefined
}

/** What a result is kept in. */
export interface ResultPlace {
  readonly files: VirtualFiles
  readonly access: FileAccess
  readonly maxBytes: number
}

/** A result that cannot be kept as a file is an error, and its beginning is all there is. */
export function keepResult(
  resultJson: string,
  { files, access, maxBytes }: ResultPlace,
): KeptResult & { readonly error?: ScriptError } {
  // A character has at most three bytes, so most results need no counting.
  if (resultJson.length * 3 <= maxBytes) return { resultJson }
  const bytes = new TextEncoder().encode(resultJson)
  if (bytes.length <= maxBytes) return { resultJson }

  const preview = JSON.stringify(beginningOf(resultJson))
  try {
    if (!access.canWrite) throw new AppError('forbidden', 'this run may not write files')
    const id = crypto.randomUUID().replaceAll('-', '').slice(0, 12)
    const path = parsePath(`output/result_${id}.json`, access.paths)
    writeFile(files, path, bytes)
    return { resultJson: preview, resultFile: path }
  } catch (error) {
    const message = `the result has ${bytes.length} bytes, more than the ${maxBytes} of an answer, and cannot be kept as a file: ${reasonOf(error)}`
    return { resultJson: preview, error: { kind: 'result', message } }
  }
}

/** Whole characters: half a surrogate pair is no text to most who read JSON. */
function beginningOf(text: string): string {
  const characters = Array.from(text.slice(0, 2 * PREVIEW_CHARACTERS))
  return characters.slice(0, PREVIEW_CHARACTERS).join('')
}

/** Opening for writing and writing never wait. */
function writeFile(files: VirtualFiles, path: VirtualPath, bytes: Uint8Array): void {
  const handle = files.open(path, { write: true, create: true, truncate: true }) as number
  try {
    files.write(handle, bytes)
  } finally {
    files.close(handle)
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.message
  if (error instanceof FileError) return 'the run has no room left for files'
  throw error
}
