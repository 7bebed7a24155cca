/** Applies the hunks of a diff to a text, all or none. */
import type { Hunk } from './parse-patch.ts'

/** Characters compared for all files of a patch together. */
export const MAX_COMPARED = 50_000_000

export interface CompareBudget {
  left: number
}

/** The new text, or the 1-based number of the first hunk that does not apply. */
export type Applied = { readonly text: string } | { readonly failedHunk: number }

/** Old lines must match exactly, at the hunk's line or nearest to it after the previous hunk. */
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

/** Nothing can follow a line without a line end. */
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
  // Without old lines, any place would match.
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
