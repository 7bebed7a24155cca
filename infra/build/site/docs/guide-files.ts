/** Finds the Markdown files of the guides. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../../root.ts'

const FOLDER = join(ROOT, 'docs')

/** Absolute paths, sorted. */
export function guideFiles(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join(FOLDER, name))
}
