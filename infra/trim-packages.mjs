/**
 * Runs after `npm ci`: deletes unused package files, a quarter of the total. The next `npm ci`
 * restores them.
 */
import { readdirSync, rmSync } from 'node:fs'

const PACKAGES = new URL('../node_modules/', import.meta.url)

/** With their size in MB on Linux. */
const UNUSED = [
  'binaryen/bin', // 90: command-line tools; the build uses the library
  'node/node_modules', // 68: Node's headers; node/bin holds the program
  '@img', // 19: image codecs for Miniflare's Images, which we do not use
  'playwright-core/lib/vite', // 4: the pages of its recorder, traces and reports
  ...bareModules(), // 8: binaries for the Bare runtime
]

for (const path of UNUSED) rmSync(new URL(path, PACKAGES), { recursive: true, force: true })

function bareModules() {
  const names = readdirSync(PACKAGES).filter((name) => name.startsWith('bare-'))
  return names.map((name) => `${name}/prebuilds`)
}
