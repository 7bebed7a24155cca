/** Splits a topic file into its cases. Pure: the comparison tests import it in every runtime. */

/** One script of a topic file; line 1 of `script` is the line after the case's header. */
export interface LuaCase {
  name: string
  script: string
}

const HEADER = '--# '

/**
 * A case begins with a line `--# <name>` and ends at the next one. What stands before the first
 * header is the file's own comment. Blank lines at a case's end are layout, not script: they would
 * shift the line of every error that is reported at the end of the text.
 *
 * @throws when two cases share a name, since results are kept by name.
 */
export function parseCases(text: string): LuaCase[] {
  const cases = new Map<string, string[]>()
  let lines: string[] = []
  for (const line of text.split('\n')) {
    if (!line.startsWith(HEADER)) {
      lines.push(line)
      continue
    }
    const name = line.slice(HEADER.length).trim()
    if (cases.has(name)) throw new Error(`two cases are named "${name}"`)
    lines = []
    cases.set(name, lines)
  }
  return Array.from(cases, ([name, body]) => ({ name, script: `${body.join('\n').trimEnd()}\n` }))
}
