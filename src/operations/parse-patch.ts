/** Reads a unified diff: which files, and what of each is to become what. */
import { AppError } from '../errors.ts'

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

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
const MAX_FILES = 100

/** @throws {AppError} `invalid_request` for what is no unified diff, or does what none here can. */
export function parsePatch(patch: string): FilePatch[] {
  const lines = patch.split('\n')
  const files: FilePatch[] = []
  let at = 0
  let pending: string | null = null
  while (at < lines.length) {
    const line = lines[at]!
    if (line.startsWith('diff --git ')) {
      if (pending !== null) throw unfit(`${pending} changes no line`)
      pending = `the part ${JSON.stringify(line.trim().slice(0, 200))}`
    }
    if (/^(?:GIT binary patch|Binary files )/.test(line)) throw unfit('it has a binary part')
    if (!line.startsWith('--- ') || !lines[at + 1]?.startsWith('+++ ')) {
      if (HUNK.test(line)) throw unfit('a hunk has no "---" and "+++" lines before it')
      at++
      continue
    }
    const hunks: Hunk[] = []
    const paths = pathsOf(line.slice(4), lines[at + 1]!.slice(4))
    for (at += 2; HUNK.test(lines[at] ?? '');) {
      const read = readHunk(lines, at, hunks.length + 1)
      hunks.push(read.hunk)
      at = read.next
    }
    if (hunks.length === 0) throw unfit(`${nameOf(paths)} has no hunks`)
    files.push({ ...paths, hunks })
    pending = null
  }
  if (pending !== null) throw unfit(`${pending} changes no line`)
  if (files.length === 0) throw unfit('it names no file with "---" and "+++" lines')
  if (files.length > MAX_FILES) throw unfit(`it has more than ${MAX_FILES} files`)
  return files
}

function readHunk(lines: readonly string[], start: number, number: number) {
  const [, oldStart, oldCount = '1', , newCount = '1'] = HUNK.exec(lines[start]!)!
  const oldLines: string[] = []
  const newLines: string[] = []
  const oldWanted = Number(oldCount)
  const newWanted = Number(newCount)
  let next = start + 1
  for (let last = ''; ; next++) {
    const line = lines[next]
    if (line?.startsWith('\\')) {
      // Belongs to the line before it: the file ends there, without a line end.
      if (last !== '+') oldLines.push(oldLines.pop()?.slice(0, -1) ?? '')
      if (last !== '-') newLines.push(newLines.pop()?.slice(0, -1) ?? '')
      continue
    }
    if (oldLines.length === oldWanted && newLines.length === newWanted) break
    // Mail and models drop the blank of an empty line.
    const kind = line === '' && next < lines.length - 1 ? ' ' : (line?.[0] ?? '')
    const text = `${line?.slice(1)}\n`
    if (!/^[ +-]$/.test(kind)) throw miscounted(number, oldWanted, newWanted)
    if (kind !== '+') oldLines.push(text)
    if (kind !== '-') newLines.push(text)
    if (oldLines.length > oldWanted || newLines.length > newWanted) {
      throw miscounted(number, oldWanted, newWanted)
    }
    last = kind
  }
  // Without old lines the number is that of the line before.
  const at = oldWanted === 0 ? Number(oldStart) : Number(oldStart) - 1
  return { hunk: { at, oldLines, newLines }, next }
}

type Paths = Pick<FilePatch, 'oldPath' | 'newPath'>

function pathsOf(oldText: string, newText: string): Paths {
  const oldPath = parseName(oldText)
  const newPath = parseName(newText)
  const isPrefixed =
    (oldPath === null || oldPath.startsWith('a/')) && (newPath === null || newPath.startsWith('b/'))
  const paths = isPrefixed
    ? { oldPath: oldPath?.slice(2) ?? null, newPath: newPath?.slice(2) ?? null }
    : { oldPath, newPath }
  if (oldPath === null && newPath === null) throw unfit('a part of it names no file')
  return paths
}

/** A time may follow after a tab; git quotes names with unusual characters as C does. */
function parseName(text: string): string | null {
  const quotedName = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]
  const name = quotedName === undefined ? text.replace(/[\t\r].*$/s, '') : unescapeName(quotedName)
  return name === '/dev/null' ? null : name
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

function unescapeName(text: string): string {
  const pieces = text.match(/\\[0-7]{3}|\\.|[^\\]+/gs) ?? []
  const bytes = pieces.flatMap((piece) => {
    if (!piece.startsWith('\\')) return [...new TextEncoder().encode(piece)]
    const code = piece.slice(1)
    return [code.length === 3 ? Number.parseInt(code, 8) : (ESCAPES[code] ?? code.charCodeAt(0))]
  })
  return new TextDecoder().decode(Uint8Array.from(bytes))
}

function nameOf({ oldPath, newPath }: Paths): string {
  return JSON.stringify(newPath ?? oldPath)
}

function miscounted(number: number, oldCount: number, newCount: number): AppError {
  return unfit(
    `hunk ${number} does not have the ${oldCount} old and ${newCount} new lines that its "@@" line says`,
  )
}

function unfit(reason: string): AppError {
  return new AppError('invalid_request', `patch: cannot be used, because ${reason}.`)
}
