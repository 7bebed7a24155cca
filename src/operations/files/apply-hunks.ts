/** Applies the hunks of a diff to a text: all of them or none. */
import type { Hunk } from './parse-patch.ts'

/** So many characters may be compared for all files of a patch together. */
export const MAX_COMPARED = 50_000_000

/** How many characters may still be compared. */
export interface CompareBudget {
  left: number
}

/** The text with all hunks applied, or the number of the first that does not, from 1. */
export type Applied = { readonly text: string } | { readonly failedHunk: number }

/** A hunk applies where its old lines are, exactly; if not at its line, then at the nearest place after the hunk before it. */
export function applyHunks(text: string, hunks: readonly Hunk[], budget: CompareBudget): Applied {
  const lines = text.match(/[^\n]*\n|[^\n]+/g) ?? []
  const result: string[] = []
  let taken = 0
  let shift = 0
  for (const [i, { at, oldLines, newLines }] of hunks.entries()) {
    const place = findPlace(lines, oldLines, taken, at + shift, budget)
    if (place === null || !append(result, [...lines.slice(taken, place), ...newLines])) {
      return { failedHunk: i + 1 }
    }
    taken = place + oldLines.length
    shift = place - at
  }
  return append(result, lines.slice(taken))
    ? { text: result.join('') }
    : { failedHunk: hunks.length }
}

/** Nothing can follow a line that has no line end. */
function append(result: string[], lines: readonly string[]): boolean {
  return lines.every((line) => result.at(-1)?.endsWith('\n') !== false && result.push(line) > 0)
}

function findPlace(
  lines: readonly string[],
  wanted: readonly string[],
  first: number,
  guess: number,
  budget: CompareBudget,
): number | null {
  const last = lines.length - wanted.length
  // Without old lines nothing tells one place from another.
  if (wanted.length === 0) return guess >= first && guess <= last ? guess : null
  const isAt = (place: number) =>
    wanted.every((line, i) => {
      budget.left -= line.length
      return budget.left >= 0 && line === lines[place + i]
    })
  const near = Math.max(first, Math.min(guess, last))
  for (let distance = 0; budget.left >= 0 && distance <= lines.length; distance++) {
    if (near - distance >= first && isAt(near - distance)) return near - distance
    if (near + distance <= last && isAt(near + distance)) return near + distance
  }
  return null
}
