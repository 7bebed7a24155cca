/** Which files load which, read from their import statements. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const known = new Map<string, readonly string[]>()

/** How many imports lead from `file` to each file that it loads, itself included. */
export function loadedBy(root: string, file: string): ReadonlyMap<string, number> {
  const steps = new Map([[file, 0]])
  for (const [name, step] of steps)
    for (const next of importsOf(root, name)) if (!steps.has(next)) steps.set(next, step + 1)
  return steps
}

function importsOf(root: string, file: string): readonly string[] {
  let found = known.get(file)
  if (!found) {
    const text = readFileSync(join(root, file), 'utf8')
    const names = text.matchAll(/(?:from|import|import\() ?'(\.[^']+\.ts)'/g)
    found = [...names].map(([, name]) => join(dirname(file), name!))
    found = found.filter((name) => existsSync(join(root, name)))
    known.set(file, found)
  }
  return found
}
