/** Rebuilds when a specification changes: wrangler watches `moonbucket.toml`, not what it names. */
import { unwatchFile, watchFile, writeFileSync, type Stats } from 'node:fs'
import { APIS_FILE, APIS_STAMP, specFiles } from '../build/apis/build.ts'

const POLLING = { interval: 500, persistent: false }

export function watchSpecs(): void {
  let watched: readonly string[] = []
  const follow = () => {
    for (const path of watched) unwatchFile(path, rebuild)
    watched = specFiles()
    for (const path of watched) watchFile(path, POLLING, rebuild)
  }
  follow()
  watchFile(APIS_FILE, POLLING, follow)
}

/** The file is in `src`, which wrangler watches, and an empty one makes the build compile again. */
function rebuild(current: Stats, previous: Stats): void {
  // A missing file is reported once without a change.
  if (current.mtimeMs !== previous.mtimeMs) writeFileSync(APIS_STAMP, '')
}
