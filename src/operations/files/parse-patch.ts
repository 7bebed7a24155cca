/** Reads a unified diff: which files, and what of each is to become what. */
import { parsePatch as parseDiff, type StructuredPatch, type StructuredPatchHunk } from 'diff'
import { AppError } from '../../errors.ts'

/** Lines that stand together. All have their line ends, except the last of a file that has none. */
export interface Hunk {
  /** Where it should apply: the number of lines before it. */
  readonly at: number
  readonly oldLines: readonly string[]
  readonly newLines: readonly string[]
}

/** What happens to one file; both paths are as written, without `a/` and `b/`, and one may be missing. */
export interface FilePatch {
  readonly oldPath: string | null
  readonly newPath: string | null
  readonly hunks: readonly Hunk[]
}

const MAX_FILES = 100

/** @throws {AppError} `invalid_request` for what is no unified diff, or does what none here can. */
export function parsePatch(patch: string): FilePatch[] {
  if (/(?:^|\n)(?:GIT binary patch|Binary files )/.test(patch)) throw unfit('it has a binary part')
  const parts = readParts(patch)
  if (parts.length === 0) throw unfit('it names no file with "---" and "+++" lines')
  if (parts.length > MAX_FILES) throw unfit(`it has more than ${MAX_FILES} files`)
  return parts.map(filePatchOf)
}

function readParts(patch: string): StructuredPatch[] {
  // Git signs mails with "-- " and its version. That is no line of a hunk: none begins with a digit.
  const unsigned = patch.replace(/\n-- (?=\n\d)/g, '')
  try {
    // With a line end, because a last hunk without one may lack lines.
    const parts = parseDiff(unsigned.replace(/\n?$/, '\n'))
    // Text around the files comes as a part, too.
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
      // What the backslash begins says that the file ends there, without a line end.
      return [line.slice(1) + (lines[i + 1]?.startsWith('\\') ? '' : '\n')]
    })
  return { at: oldStart - 1, oldLines: linesWithout('+'), newLines: linesWithout('-') }
}

function unfit(reason: string, cause?: unknown): AppError {
  return new AppError('invalid_request', `patch: cannot be used, because ${reason}.`, { cause })
}
