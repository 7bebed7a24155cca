/** Temporary folders, removed at exit. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []

process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'moonbucket-bench-'))
  folders.push(folder)
  return folder
}
