/** Folders that are gone when the bench is. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []

process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A fresh one, for as long as this process lives. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'moonbucket-bench-'))
  folders.push(folder)
  return folder
}
