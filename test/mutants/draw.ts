/** Draws mutants of the source at random, by a seed; Stryker makes the mutations. */
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { Random } from '../support/random.ts'

export interface Mutant {
  readonly id: number
  /** From the root of the repository. */
  readonly file: string
  readonly line: number
  readonly kind: string
  readonly start: number
  readonly end: number
  readonly original: string
  readonly replacement: string
}

interface Position {
  readonly line: number
  readonly column: number
}

/** What is used of @stryker-mutator/instrumenter, which is not installed when types are checked. */
interface Stryker {
  readonly Instrumenter: new (logger: object) => {
    instrument(
      files: readonly { name: string; content: string; mutate: true }[],
      options: object,
    ): Promise<{
      mutants: readonly {
        fileName: string
        mutatorName: string
        replacement: string
        location: { start: Position; end: Position }
      }[]
    }>
  }
}

const OPTIONS = { plugins: null, excludedMutations: [], ignorers: [], noHeader: true }
const SILENT = new Proxy({}, { get: () => () => false })

/** `count` mutants of the TypeScript below `folders`, every possible one with the same chance. */
export async function drawMutants(
  root: string,
  folders: readonly string[],
  { count, seed }: { count: number; seed: number },
): Promise<Mutant[]> {
  const name = '@stryker-mutator/instrumenter'
  const { Instrumenter } = (await import(name)) as Stryker
  const possible: Omit<Mutant, 'id'>[] = []
  for (const file of folders.flatMap((folder) => sourcesIn(root, folder))) {
    const content = readFileSync(join(root, file), 'utf8')
    const { mutants } = await new Instrumenter(SILENT).instrument(
      [{ name: file, content, mutate: true }],
      OPTIONS,
    )
    for (const { mutatorName, replacement, location } of mutants) {
      const start = offsetOf(content, location.start)
      const end = offsetOf(content, location.end)
      const original = content.slice(start, end)
      const line = location.start.line + 1
      possible.push({ file, line, kind: mutatorName, start, end, original, replacement })
    }
  }
  const random = new Random(seed)
  for (let last = possible.length - 1; last > 0; last--) {
    const other = random.below(last + 1)
    ;[possible[last], possible[other]] = [possible[other]!, possible[last]!]
  }
  const mutants = possible.slice(0, count).map((mutant, id) => ({ id, ...mutant }))
  // Source that does not parse would count as caught.
  for (const mutant of mutants)
    stripTypeScriptTypes(mutate(readFileSync(join(root, mutant.file), 'utf8'), mutant))
  return mutants
}

/** The source with the mutant in place. */
export function mutate(content: string, mutant: Mutant): string {
  const { start, end, replacement } = mutant
  const isWhole = replaces(mutant) !== 'expression'
  // Parentheses, or an expression would bind to the operators around it.
  const text = isWhole ? replacement : `${separatorAt(content, start)}(${replacement})`
  return content.slice(0, start) + text + content.slice(end)
}

/** What a mutant takes the place of. */
export function replaces({
  kind,
  original,
  replacement,
}: Mutant): 'block' | 'case' | 'statement' | 'expression' {
  if (kind === 'BlockStatement') return 'block'
  if (/^(?:case\b|default:)/.test(original)) return 'case'
  return replacement === ';' || original.startsWith('for (') ? 'statement' : 'expression'
}

/** A semicolon where a statement begins: a parenthesis there would call the line before. */
export function separatorAt(content: string, start: number): string {
  const before = content.slice(0, start)
  const line = before.trimEnd().replace(/^[^]*\n/, '')
  if (!/\n[ \t]*$/.test(before) || /^\s*(?:\} )?(?:if|else|for|while)\b/.test(line)) return ''
  return /[\w)\]}'"`]$/.test(line) && !/\b(?:return|else|await)$/.test(line) ? ';' : ''
}

function sourcesIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name))
    .sort()
}

function offsetOf(content: string, { line, column }: Position): number {
  let offset = 0
  for (let left = line; left > 0; left--) offset = content.indexOf('\n', offset) + 1
  return offset + column
}
