/** How far the lines of a patch are searched for. */
import { describe, expect, it } from 'vitest'
import { applyHunks } from '../../src/operations/files/edit/apply-hunks.ts'

const LINES = 100
const other = `${'a'.repeat(99)}\n`
const wanted = `${'a'.repeat(98)}b\n`

function applied(text: string, at: number, left: number): string {
  const hunk = { at, oldLines: [wanted], newLines: ['new\n'] }
  const result = applyHunks(new TextEncoder().encode(text), [hunk], { left })
  return 'body' in result
    ? new TextDecoder().decode(result.body)
    : `hunk ${result.failedHunk} fails`
}

/** Each line between costs its own bytes and those that are the same. */
describe('a search for a line like all the others', () => {
  const after = other.repeat(LINES)

  it.each([
    ['ahead', `${after}${wanted}`, 0, `${after}new\n`],
    ['back', `${wanted}${after}`, LINES, `new\n${after}`],
  ])('%s ends with what may be searched', (_, text, at, changed) => {
    expect(applied(text, at, LINES * 201)).toBe(changed)
    expect(applied(text, at, LINES * 190)).toBe('hunk 1 fails')
  })
})
