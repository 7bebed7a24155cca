/**
 * npm runs this after `npm ci`: removes what packages bring that nothing here can use, a quarter of the whole. What has
 * to be installed again comes back by itself with the next `npm ci`.
 */
import { readdirSync, rmSync } from 'node:fs'

const PACKAGES = new URL('../node_modules/', import.meta.url)

/** Each with its size in MB on Linux. */
const UNUSED = [
  'binaryen/bin', // 90: its tools for the command line; the build calls the library
  'node/node_modules', // 68: headers of Node; the program itself is a link in node/bin
  '@img', // 19: pictures in Miniflare's imitation of a product that we do not use
  'playwright-core/lib/vite', // 4: its pages for people: recorder, traces, reports
  ...bareModules(), // 8: for Bare, another runtime
]

for (const path of UNUSED) rmSync(new URL(path, PACKAGES), { recursive: true, force: true })

function bareModules() {
  const names = readdirSync(PACKAGES).filter((name) => name.startsWith('bare-'))
  return names.map((name) => `${name}/prebuilds`)
}
