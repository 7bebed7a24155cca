/** Applies the hunks of a diff to a text: all of them or none. */
import type { Hunk } from './parse-patch.ts'

/** Looking for hunks whose line numbers are wrong may cost so many comparisons, all hunks together. */
const MAX_COMPARISONS = 20_000_000

/** The text with all hunks applied, or the number of the first that does not, from 1. */
export type Applied = { readonly text: string } | { readonly failedHunk: number }

/** A hunk applies where its old lines are, exactly; if not at its line, then at the nearest place after the hunk before it. */
export function applyHunks(text: string, hunks: readonly Hunk[]): Applied {
  const lines = text.match(/[^\n]*\n|[^\n]+/g) ?? []
  const pieces: string[] = []
  let taken = 0
  let shift = 0
  let left = MAX_COMPARISONS
  for (const [i, { at, oldLines, newLines }] of hunks.entries()) {
    let place: number | undefined = at + shift
    if (place < taken || !isAt(lines, oldLines, place)) {
      left -= lines.length + oldLines.length
      place = left < 0 ? undefined : nearestPlace(lines, oldLines, taken, place)
    }
    if (place === undefined) return { failedHunk: i + 1 }
    pieces.push(lines.slice(taken, place).join(''), newLines.join(''))
    taken = place + oldLines.length
    shift = place - at
  }
  pieces.push(lines.slice(taken).join(''))
  return { text: pieces.join('') }
}

function isAt(lines: readonly string[], wanted: readonly string[], place: number): boolean {
  return (
    place + wanted.length <= lines.length && wanted.every((line, i) => line === lines[place + i])
  )
}

/** Knuth, Morris and Pratt's search: a file of equal lines costs no more than any other. */
function nearestPlace(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  near: number,
): number | undefined {
  // Without old lines nothing tells one place from another.
  if (wanted.length === 0) return undefined
  const borders = bordersOf(wanted)
  let best: number | undefined
  let matched = 0
  for (let i = from; i < lines.length; i++) {
    while (matched > 0 && lines[i] !== wanted[matched]) matched = borders[matched - 1]!
    if (lines[i] === wanted[matched]) matched++
    if (matched < wanted.length) continue
    const place = i - matched + 1
    if (best === undefined || Math.abs(place - near) < Math.abs(best - near)) best = place
    matched = borders[matched - 1]!
  }
  return best
}

/** For each beginning of the lines, how many of its last lines are its first lines again. */
function bordersOf(lines: readonly string[]): number[] {
  const borders = [0]
  for (let i = 1, matched = 0; i < lines.length; i++) {
    while (matched > 0 && lines[i] !== lines[matched]) matched = borders[matched - 1]!
    if (lines[i] === lines[matched]) matched++
    borders.push(matched)
  }
  return borders
}
