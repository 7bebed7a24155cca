/** Parses a unified diff into hunks per file. */
import { parsePatch as parseDiff, type StructuredPatch, type StructuredPatchHunk } from 'diff'
import { AppError } from '../../../errors.ts'

/** Lines include their line ends, except the last one of a file without a final newline. */
export interface Hunk {
  /** Expected position: the number of lines before it. */
  readonly at: number
  readonly oldLines: readonly string[]
  readonly newLines: readonly string[]
}

/** Paths as written, without `a/` and `b/`; `null` stands for `/dev/null`. */
export interface FilePatch {
  readonly oldPath: string | null
  readonly newPath: string | null
  readonly hunks: readonly Hunk[]
}

const MAX_FILES = 100

/** @throws {AppError} `invalid_request` for an invalid diff or an unsupported feature. */
export function parsePatch(patch: string): FilePatch[] {
  if (/(?:^|\n)(?:GIT binary patch|Binary files )/.test(patch)) throw unfit('it has a binary part')
  const parts = readParts(patch)
  if (parts.length === 0) throw unfit('it names no file with "---" and "+++" lines')
  if (parts.length > MAX_FILES) throw unfit(`it has more than ${MAX_FILES} files`)
  return parts.map(filePatchOf)
}

function readParts(patch: string): StructuredPatch[] {
  // Drops the "-- " of git's mail signature, before its version; no hunk line begins with a digit.
  const unsigned = patch.replace(/\n-- (?=\n\d)/g, '')
  try {
    // Ends with a newline: without one, the parser may accept a truncated last hunk.
    const parts = parseDiff(unsigned.replace(/\n?$/, '\n'))
    // The parser also returns the text around files as parts.
    return parts.filter((part) => part.isGit || part.oldFileName !== undefined || part.hunks.length)
  } catch (cause) {
    const line = /hunk at line (\d+)/i.exec(String(cause))?.[1]
    const reason = line
      ? `the hunk at line ${line} does not have as many lines as its "@@" line says`
      : 'a part of it has only one of the "---" and "+++" lines'
    throw unfit(reason, cause)
  }
}

function filePatchOf({ oldFileName, newFileName, hunks }: StructuredPatch): FilePatch {
  if (oldFileName === undefined || newFileName === undefined) {
    throw unfit('a part of it has no "---" and "+++" lines')
  }
  const isPrefixed =
    /^(?:a\/|\/dev\/null$)/.test(oldFileName) && /^(?:b\/|\/dev\/null$)/.test(newFileName)
  const pathOf = (name: string) => {
    if (name === '/dev/null') return null
    return isPrefixed ? name.slice(2) : name
  }
  const oldPath = pathOf(oldFileName)
  const newPath = pathOf(newFileName)
  const name = newPath ?? oldPath
  if (name === null) throw unfit('a part of it names no file')
  if (hunks.length === 0) throw unfit(`${JSON.stringify(name.slice(0, 200))} has no hunks`)
  return { oldPath, newPath, hunks: hunks.map(hunkOf) }
}

function hunkOf({ oldStart, lines }: StructuredPatchHunk): Hunk {
  if (!Number.isSafeInteger(oldStart)) throw unfit('an "@@" line of it has no line numbers')
  const linesWithout = (sign: string) =>
    lines.flatMap((line, i) => {
      if (line.startsWith(sign) || line.startsWith('\\')) return []
      // A line with a backslash means that the file ends without a newline.
      return [line.slice(1) + (lines[i + 1]?.startsWith('\\') ? '' : '\n')]
    })
  return { at: oldStart - 1, oldLines: linesWithout('+'), newLines: linesWithout('-') }
}

function unfit(reason: string, cause?: unknown): AppError {
  return new AppError('invalid_request', `patch: cannot be used, because ${reason}.`, { cause })
}
