/** Applies the hunks of a diff to a file, all or none. On bytes: lines as strings take far more. */
import { copyOf } from '../../../storage/object-body.ts'
import type { Hunk } from './parse-patch.ts'

/** Bytes searched for all files of a patch together. */
export const MAX_SEARCHED = 50_000_000

const NEWLINE = 0x0a
const encoder = new TextEncoder()

export interface SearchBudget {
  left: number
}

/** The new content, or the 1-based number of the first hunk that does not apply. */
export type Applied = { readonly body: Uint8Array } | { readonly failedHunk: number }

/** The start of a line: the number of lines and bytes before it. */
interface Place {
  readonly line: number
  readonly at: number
}

/** Old lines must match exactly, at the hunk's line or nearest to it after the previous hunk. */
export function applyHunks(
  body: Uint8Array,
  hunks: readonly Hunk[],
  budget: SearchBudget,
): Applied {
  const parts: Uint8Array[] = []
  let isOpen = false
  // Nothing can follow a line without a line end.
  const append = (part: Uint8Array, isEnded: boolean) => {
    if (isOpen) return false
    isOpen = !isEnded
    return parts.push(part) > 0
  }
  const appendOld = (start: number, end: number) =>
    start === end || append(body.subarray(start, end), body[end - 1] === NEWLINE)
  const lines = countLines(body)
  let taken: Place = { line: 0, at: 0 }
  let shift = 0
  for (const [i, { at, oldLines, newLines }] of hunks.entries()) {
    const old = encoder.encode(oldLines.join(''))
    const last = lines - oldLines.length
    const place = areLines(oldLines)
      ? findPlace(body, old, { first: taken, guess: at + shift, last }, budget)
      : null
    const isApplied =
      place !== null &&
      appendOld(taken.at, place.at) &&
      newLines.slice(0, -1).every(isEnded) &&
      (newLines.length === 0 ||
        append(encoder.encode(newLines.join('')), isEnded(newLines.at(-1)!)))
    if (!isApplied) return { failedHunk: i + 1 }
    taken = { line: place.line + oldLines.length, at: place.at + old.length }
    shift = place.line - at
  }
  return appendOld(taken.at, body.length) ? { body: copyOf(parts) } : { failedHunk: hunks.length }
}

const isEnded = (line: string) => line.endsWith('\n')

/** Whether they could be in a file; half a surrogate pair would be encoded as U+FFFD. */
function areLines(lines: readonly string[]): boolean {
  return (
    lines.slice(0, -1).every(isEnded) &&
    lines.at(-1) !== '' &&
    !lines.some((line) => /\p{Cs}/u.test(line))
  )
}

interface Search {
  readonly first: Place
  /** Numbers of lines. */
  readonly guess: number
  readonly last: number
}

/** Walks the lines without an index, which would be larger than a file of short ones. */
function findPlace(
  body: Uint8Array,
  old: Uint8Array,
  { first, guess, last }: Search,
  budget: SearchBudget,
): Place | null {
  if (last < first.line) return null
  // Without old lines, any place would match.
  if (old.length === 0 && (guess < first.line || guess > last)) return null
  let near = first
  const target = Math.max(first.line, Math.min(guess, last))
  while (near.line < target) near = nextLine(body, near)
  if (isAt(body, old, near, budget)) return near
  let back: Place | null = near
  let ahead: Place | null = near
  while (budget.left >= 0 && (back || ahead)) {
    back = back && back.line > first.line ? previousLine(body, back, budget) : null
    if (back && isAt(body, old, back, budget)) return back
    ahead = ahead && ahead.line < last ? nextLine(body, ahead, budget) : null
    if (ahead && isAt(body, old, ahead, budget)) return ahead
  }
  return null
}

function isAt(body: Uint8Array, old: Uint8Array, { at }: Place, budget: SearchBudget): boolean {
  let same = 0
  while (same < old.length && body[at + same] === old[same]) same++
  budget.left -= same + 1
  const isWhole = old.length === 0 || old.at(-1) === NEWLINE || at + same === body.length
  return same === old.length && isWhole && budget.left >= 0
}

function nextLine(body: Uint8Array, { line, at }: Place, budget?: SearchBudget): Place {
  const end = body.indexOf(NEWLINE, at)
  const next = end < 0 ? body.length : end + 1
  if (budget) budget.left -= next - at
  return { line: line + 1, at: next }
}

function previousLine(body: Uint8Array, { line, at }: Place, budget: SearchBudget): Place {
  const previous = at < 2 ? 0 : body.lastIndexOf(NEWLINE, at - 2) + 1
  budget.left -= at - previous
  return { line: line - 1, at: previous }
}

function countLines(body: Uint8Array): number {
  let lines = 0
  for (const byte of body) if (byte === NEWLINE) lines++
  return lines + Number((body.at(-1) ?? NEWLINE) !== NEWLINE)
}
