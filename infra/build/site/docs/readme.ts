/** Tables of the README, which tests hold to the truth: what stands there is not written a second time. */
import { readFileSync } from 'node:fs'

const README = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')

/** The rows of the first table under a heading of the second level, without its head; cells are as they are written. */
export function readmeTable(section: string): string[][] {
  const text = README.split(/^## /m).find((part) => part.startsWith(`${section}\n`))
  const lines = (text ?? '').split('\n').filter((line) => line.startsWith('|'))
  if (lines.length < 3) throw new Error(`the README has no table under ${section}`)
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}
