/** Regenerates `RESULTS.md` and its charts from `results.json`: `node test/bench/write-page.ts`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pageFiles } from './page.ts'
import { readResults } from './results.ts'

const FOLDER = import.meta.dirname

/** Removes outdated charts. */
export async function writePage(): Promise<void> {
  const files = await pageFiles(readResults())
  rmSync(join(FOLDER, 'charts'), { recursive: true, force: true })
  mkdirSync(join(FOLDER, 'charts'))
  for (const [name, text] of files) writeFileSync(join(FOLDER, name), text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writePage()
