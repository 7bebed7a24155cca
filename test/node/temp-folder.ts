/** Folders of the machine for tests that need real ones. */
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A new empty folder that goes with its test. */
export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'moonbucket-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
